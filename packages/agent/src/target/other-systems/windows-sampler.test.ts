import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowsSampler } from './windows-sampler.ts';

const read = windowsSampler.reader();

test('windowsSampler: the start, readings and the exit', () => {
  assert.deepEqual(read('about 2026-11-27T05:07:59.1234567Z My Game'), {
    ...{ kind: 'about', name: 'My Game', startedAt: '2026-11-27T05:07:59.123Z' },
  });
  assert.deepEqual(read('about 2026-11-27T05:07:59.1234567Z '), {
    ...{ kind: 'about', name: '', startedAt: '2026-11-27T05:07:59.123Z' },
  });
  assert.deepEqual(read('15625000 52428800 23'), {
    ...{ kind: 'reading', cpuMs: 1_562.5, rssBytes: 52_428_800, threads: 23 },
  });
  assert.deepEqual(read('exited'), { kind: 'exited' });
  assert.deepEqual(read('missing'), { kind: 'refused', code: 'no_such_process' });
  assert.deepEqual(read('forbidden'), { kind: 'refused', code: 'process_forbidden' });
});

test('windowsSampler: other lines mean nothing', () => {
  for (const line of [
    '',
    'x',
    '1 2',
    '1 2 3 4',
    '-1 2 3',
    '1.5 2 3',
    'about x y',
    'about 2026',
    ' exited',
  ]) {
    assert.equal(read(line), null, line);
  }
});

test('windowsSampler: PowerShell is the one of the system, wherever the system is', (t) => {
  const { SystemRoot } = process.env;
  t.after(() => {
    delete process.env['SystemRoot'];
    if (SystemRoot !== undefined) process.env['SystemRoot'] = SystemRoot;
  });
  const below = '\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';
  process.env['SystemRoot'] = 'D:\\Win';
  assert.equal(windowsSampler.command(1).file, `D:\\Win${below}`);
  delete process.env['SystemRoot'];
  assert.equal(windowsSampler.command(1).file, `C:\\Windows${below}`);
});

test('windowsSampler: the script is passed encoded, with two ids as numbers only', () => {
  const { args } = windowsSampler.command(4242);
  assert.equal(args.at(-2), '-EncodedCommand');
  const script = Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le');
  const ids = [...script.matchAll(/GetProcessById\((.*?)\)/g)].map(([, id]) => id);
  assert.deepEqual(ids, [String(process.pid), '4242']);
  assert.doesNotMatch(script, /TARGET|OWN|[^\n\x20-\x7e]/);
});
