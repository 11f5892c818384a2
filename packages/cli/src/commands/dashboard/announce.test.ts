// The messages at a dashboard's start and end, and when a browser is opened.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { Agent } from '@svc/agent';
import type { Ending } from '@svc/contracts/agent';
import { runHere } from '../../../test/run-here.ts';
import { temporaryFolder } from '../../../test/svc.ts';
import { createOutput } from '../../output/output.ts';
import type { Io } from '../../process/io.ts';
import { announce, reportEnding } from './announce.ts';

type Given = { readonly json?: boolean; readonly open?: boolean; readonly agent?: Partial<Agent> };

/** Announces an agent on a terminal. Returns its output, and the files that redirect the browser. */
function announced(t: TestContext, { json = false, open = false, agent = {} }: Given) {
  const dataDir = temporaryFolder(t);
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });
  const stderr = new PassThrough({ encoding: 'utf8' });
  const io = { stdout, stderr, env: {} } as unknown as Io;
  const expiresAt = '2026-01-01T00:00:00.000Z';
  announce(
    {
      ...{ url: 'http://127.0.0.1:1/#token=x', origin: 'http://127.0.0.1:1', token: 'x' },
      ...{ target: null, recovered: [], dataDir, dataDirWarning: null, expiresAt },
      authenticated: new Promise(() => {}),
      ...agent,
    } as unknown as Agent,
    io,
    createOutput(io, { json, streaming: true }),
    { storageCapBytes: 256 * 1024 * 1024, open, records: false, program: null, follow: null },
  );
  return {
    stdout: stdout.read() ?? '',
    stderr: stderr.read() ?? '',
    dataDir,
    pages: readdirSync(dataDir),
  };
}

test('announce prints the address of the dashboard, and does not open a browser with open: false', (t) => {
  const { stdout, stderr, dataDir, pages } = announced(t, {});
  assert.deepEqual(stripVTControlCharacters(stdout).split('\n'), [
    'Open        http://127.0.0.1:1/#token=x',
    'Authorized  no process, only traces (choose a process with --pid or --name)',
    `Data        ${dataDir} (at most 256 MiB per session)`,
    'Ends        in 0 ms, at 2026-01-01T00:00:00.000Z',
    'Stop        Ctrl-C, or End session in the viewer',
    '',
  ]);
  assert.deepEqual([stderr, pages], ['', []]);
  assert.deepEqual(announced(t, { json: true, open: true }).pages, [], 'a program opens none');
});

test('announce prints the process, a warning and the recordings of killed sessions on separate lines', (t) => {
  const target = { pid: 7, name: 'ga\nme', started_at: '' };
  const recovered = [{ path: '/x/a\nb.vpt.partial', bytes: 2048 }];
  const dataDirWarning = 'Other users can look\ninto it';
  const agent = { target, recovered, dataDirWarning } as unknown as Partial<Agent>;
  const { stdout, stderr } = announced(t, { agent });
  assert.match(stdout, / ga\\nme, PID 7; recording starts when you press Start\n/);
  assert.match(
    stdout,
    /\n\nRecordings of sessions that were killed\. Open one with svc dashboard FILE:\n {2}\/x\/a\\nb\.vpt\.partial {2}\(2\.0 KiB\)\n$/,
  );
  assert.equal(stderr, 'warning: Other users can look\\ninto it.\n');
});

test('reportEnding prints why the session ended, and whether the recording is complete', () => {
  const reported = (ending: Ending, finished?: boolean, json = false): string => {
    const stdout = new PassThrough({ encoding: 'utf8' });
    reportEnding(
      createOutput({ stdout, stderr: stdout } as unknown as Io, { json }),
      ending,
      finished === undefined ? {} : { finished },
    );
    return stdout.read();
  };
  for (const [reason, text] of [
    ['off', 'The session was ended in the viewer.\n'],
    ['ttl', 'The session has reached its time limit (--ttl).\n'],
    ['signal', 'The session has ended.\n'],
    ['target_exit', 'The session has ended: the process has exited.\n'],
  ] as const) {
    assert.equal(reported({ reason, trace: null }), text);
  }
  const trace = { path: '/x/a\nb.vpt', bytes: 1024, truncated: false };
  const about = '/x/a\\nb.vpt (1.0 KiB)';
  assert.equal(
    reported({ reason: 'off', trace }),
    `The session was ended in the viewer.\nSaved the recording ${about}.\n`,
  );
  assert.match(reported({ reason: 'off', trace }, false), /\nThe recording is incomplete: /);
  assert.match(
    reported({ reason: 'off', trace: { ...trace, path: 'a.vpt.partial' } }),
    /\nThe recording is incomplete: a\.vpt\.partial \(1\.0 KiB\)\.\n$/,
  );
  assert.match(
    reported({ reason: 'off', trace: { ...trace, truncated: true } }),
    /\(1\.0 KiB, cut off at --storage-cap\)\.\n$/,
  );
  assert.deepEqual(JSON.parse(reported({ reason: 'ttl', trace }, true, true)), {
    ...{ event: 'ended', reason: 'ttl', trace },
  });
});

test('svc dashboard keeps recordings in XDG_DATA_HOME if it is absolute, else below the home folder', {
  timeout: 100_000,
}, async (t) => {
  const home = temporaryFolder(t);
  for (const [data, folder] of [
    [join(home, 'xdg'), join(home, 'xdg/svc')],
    ['xdg', join(home, '.local/share/svc')],
  ] as const) {
    const args = ['dashboard', '--port', '0', '--no-open', '--ttl', '1s'];
    const env = { HOME: home, XDG_DATA_HOME: data };
    const { code, stdout, stderr } = await runHere(t, args, { env });
    assert.equal(code, 0, stderr);
    assert.ok(stdout.includes(`\nData        ${folder} (at most 256 MiB per session)\n`), stdout);
    assert.match(stdout, /\nThe session has reached its time limit \(--ttl\)\.\n$/);
  }
});

test('svc dashboard rejects a list of probes that contains an unknown one', async (t) => {
  const run = await runHere(t, [
    'dashboard',
    '--port',
    '0',
    '--ttl',
    '1s',
    '--probes',
    'stacks,files,cpu',
  ]);
  assert.equal(run.code, 2);
  assert.match(run.stderr, /Choose frames, stacks and files, separated by commas\./);
});
