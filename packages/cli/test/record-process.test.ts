// `svc record` of a process: the summary, the document, the budgets, the end of a program, and wrong usage.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Parse } from 'typebox/value';
import { until } from '../../../scripts/until.ts';
import { DOCUMENTS, type Documents } from '../src/documents.ts';
import { runHere } from './run-here.ts';
import { runSvc, startSvc, temporaryFolder } from './svc.ts';

const onLinux = {
  skip: process.platform !== 'linux' && 'kernel: it has no /proc',
  timeout: 120_000,
};
const SLEEP = ['--', 'sleep', '600'];

async function record(t: TestContext, cwd: string, args: readonly string[]) {
  return await runSvc(t, ['record', '-o', 'game.vpt', ...args], { cwd });
}

function documentOf(stdout: string): Documents['record'] {
  return Parse(DOCUMENTS.record, JSON.parse(stdout));
}

test(
  'svc record -- PROGRAM prints the answer, how the program ended, and how to open the trace',
  onLinux,
  async (t) => {
    const cwd = temporaryFolder(t);
    const { code, stdout, stderr } = await record(t, cwd, [
      '--',
      'sh',
      '-c',
      'echo hello; sleep 1.2',
    ]);
    assert.equal(code, 0, stderr);
    const [hello, answer, ...lines] = stdout.trim().split('\n');
    assert.equal(hello, 'hello', 'the output of the program is that of svc');
    assert.match(answer ?? '', /^(CPU use is|RSS is)/);
    assert.match(
      lines.at(-2) ?? '',
      /^Recorded sh, PID \d+, for 1\.\d s\. sh has exited with code 0\.$/,
    );
    assert.equal(lines.at(-1), 'Wrote game.vpt. Open it with: svc dashboard game.vpt');
    assert.match(stderr, /^Recording sh, PID \d+\. Press Ctrl-C to end\.\n$/);
    assert.deepEqual(readdirSync(cwd), ['game.vpt']);
  },
);

test(
  'svc record --json writes the document only, also if the program writes to standard output',
  onLinux,
  async (t) => {
    const cwd = temporaryFolder(t);
    const run = await record(t, cwd, [
      '--json',
      '--seconds',
      '1',
      '--',
      'sh',
      '-c',
      'echo hello; sleep 600',
    ]);
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stderr, /hello/);
    const document = documentOf(run.stdout);
    assert.deepEqual([document.ended, document.frames, document.budgets], ['stopped', 0, []]);
    const { process: recorded } = document;
    assert.deepEqual([recorded?.name, recorded?.exit, recorded?.truncated], ['sh', null, false]);
    assert.ok((recorded?.rss_max_bytes ?? 0) > 0);
    assert.ok(document.duration_ms >= 1000);
    const pid = recorded?.pid ?? 0;
    assert.ok(!existsSync(`/proc/${pid}`), 'svc has ended the program');
  },
);

test(
  'a program that fails or crashes makes svc record fail, and the trace is kept',
  onLinux,
  async (t) => {
    const cwd = temporaryFolder(t);
    for (const [script, text, exit] of [
      ['exit 3', 'sh has exited with code 3', { code: 3, signal: null }],
      ['kill -SEGV $$', 'sh was ended by SIGSEGV', { code: null, signal: 'SIGSEGV' }],
    ] as const) {
      const run = await record(t, cwd, ['--json', '--', 'sh', '-c', script]);
      assert.equal(run.code, 1);
      assert.ok(
        run.stderr.includes(`svc: ${text}. The trace up to then is "game.vpt".\n`),
        run.stderr,
      );
      const { error, ...document } = JSON.parse(run.stdout);
      assert.equal(error.code, 'program_failed');
      assert.deepEqual(documentOf(JSON.stringify(document)).process?.exit, exit);
      assert.match(readFileSync(join(cwd, 'game.vpt'), 'utf8'), /"type":"end"/);
    }
  },
);

test('svc record checks the budgets in svc.json', onLinux, async (t) => {
  const cwd = temporaryFolder(t);
  const withBudget = async (rss_bytes: number) => {
    writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ title: 'Game', budgets: { rss_bytes } }));
    return await record(t, cwd, ['--seconds', '1', ...SLEEP]);
  };
  const kept = await withBudget(2 ** 40);
  assert.equal(kept.code, 0, kept.stderr);
  assert.match(kept.stdout, /\nok +rss_bytes +\d/);
  const broken = await withBudget(1);
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /\nFAILED +rss_bytes +\d[\s\S]*\nWrote game\.vpt\./);
  assert.match(broken.stderr, /svc: game\.vpt does not meet a budget: rss_bytes\.\n/);
});

test('Ctrl-C ends the recording and the program, and the trace is complete', onLinux, async (t) => {
  const cwd = temporaryFolder(t);
  const child = startSvc(t, ['record', '-o', 'game.vpt', '--json', ...SLEEP], { cwd });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text) => (output.stdout += text));
  child.stderr?.on('data', (text) => (output.stderr += text));
  const exited = new Promise((resolve) => child.once('close', resolve));
  await until(
    async () => output.stderr,
    (text) => text.includes('Recording'),
    'it records',
  );
  child.kill('SIGINT');
  assert.equal(await exited, 0, output.stderr);
  const { ended, process: recorded } = documentOf(output.stdout);
  assert.equal(ended, 'stopped');
  assert.ok(!existsSync(`/proc/${recorded?.pid ?? 0}`));
  assert.match(readFileSync(join(cwd, 'game.vpt'), 'utf8'), /"type":"end"[^\n]*"stopped"/);
});

test(
  'svc record --follow has the frames that the program writes, and says if it wrote none',
  onLinux,
  async (t) => {
    const cwd = temporaryFolder(t);
    const started_at = '2026-01-01T00:00:00.000Z';
    const header = { vpt: 1, producer: { name: 'game', version: '1' }, sources: ['native'] };
    const line = (record: object): string => JSON.stringify(record).replaceAll('"', '\\"');
    const script = [
      `now=$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)`,
      `echo "${line({ ...header, started_at })}" | sed "s/${started_at}/$now/" > own.vpt`,
      `echo "${line({ type: 'frames', t: 1, duration_ms: [16, 17, 16] })}" >> own.vpt`,
    ].join('\n');
    const run = await record(t, cwd, ['--follow', 'own.vpt', '--json', '--', 'sh', '-c', script]);
    assert.equal(run.code, 0, run.stderr);
    const document = documentOf(run.stdout);
    assert.equal(document.frames, 3);
    assert.equal(document.process?.merged_records, 1);
    // The trace of the run before is not merged.
    const none = await record(t, cwd, ['--follow', 'own.vpt', '--', 'true']);
    assert.equal(none.code, 0, none.stderr);
    assert.match(
      none.stderr,
      /\nwarning: Nothing was merged by --follow: own\.vpt is of an earlier run, and the program has not written a new one yet\.\n/,
    );
    const missing = await record(t, cwd, ['--follow', 'no.vpt', '--', 'true']);
    assert.match(
      missing.stderr,
      /warning: Nothing was merged by --follow: The program has not written no\.vpt\.\n/,
    );
  },
);

test('svc record: wrong usage names the option and the next step', async (t) => {
  const rows: readonly [readonly string[], RegExp][] = [
    [['dist', '--pid', '1'], /"dist" and a process cannot be recorded together\./],
    [['--pid', '1', '--headless'], /--headless is for recordings of browser games\./],
    [['--no-stacks', '--pid', '1'], /--no-stacks is for recordings of browser games\./],
    [['--mobile', '--', 'x'], /--mobile is for recordings of browser games\./],
    [['dist', '--probes', 'files'], /--probes is for recordings of a process\./],
    [['--child', 'x'], /--child is for recordings of a process\./],
    [['dist', '--follow', 'x.vpt'], /--follow is for recordings of a process\./],
    [
      ['-o', 'x.vpt', '--follow', './x.vpt', '--', 'y'],
      /svc would write the recording into "\.\/x\.vpt", which it is to follow\.\nName another file with -o/,
    ],
    [
      ['-o', 'x.vpt', '--follow', 'x.vpt.partial', '--', 'y'],
      /svc would write the recording into "x\.vpt\.partial", which it is to follow\./,
    ],
    [['--pid', '1', '--name', 'x'], /--pid and --name name more than one process\./],
    [['--name', 'x', '--', 'y'], /--name and a program after -- name more than one process\./],
    [['--name', ' '], /Write the name of a program, or a part of it\./],
    [['--'], /The program after -- is missing\.\nFor example: svc record -- \.\/my-game/],
    [['--open', '--json', '--', 'x'], /With --json, svc record does not open the dashboard\./],
  ];
  for (const [args, message] of rows) {
    const { code, stderr } = await runHere(t, ['record', ...args]);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, message);
  }
});

test('svc record: a program or a file that cannot be used is refused before anything starts', async (t) => {
  const cwd = temporaryFolder(t);
  const none = await runHere(t, ['record', '-o', 'x.vpt', '--', './nope'], { cwd });
  assert.deepEqual(
    [none.code, none.stderr],
    [1, 'svc: Cannot start "./nope": there is no such program.\n'],
  );
  const folder = await runHere(t, ['record', '-o', 'no/x.vpt', '--', 'sleep', '9'], { cwd });
  assert.deepEqual(
    [folder.code, folder.stderr.split('\n')[0]],
    [1, 'svc: Cannot write "no/x.vpt": its folder does not exist.'],
  );
  const device = await runHere(t, ['record', '-o', '/dev/null', '--', 'sleep', '9'], { cwd });
  assert.match(device.stderr, /^svc: Cannot write "\/dev\/null": it is not a file\./);
  for (const [path, what] of [
    ['/dev/null', 'it is not a file'],
    ['.', 'it is a folder'],
    ['/dev/null/x.vpt', 'a part of its path is a file'],
    ['x'.repeat(300), 'its name is too long'],
  ] as const) {
    const followed = await runHere(t, ['record', '--follow', path, '--', 'sleep', '9'], { cwd });
    assert.deepEqual(
      [followed.code, followed.stderr],
      [1, `svc: Cannot follow "${path}": ${what}.\nName the .vpt file that the game writes.\n`],
    );
  }
  assert.deepEqual(readdirSync(cwd), []);
});

test(
  'svc record: a mistake in svc.json is reported before the program runs',
  onLinux,
  async (t) => {
    const cwd = temporaryFolder(t);
    writeFileSync(join(cwd, 'svc.json'), '{"title": "Game", "budgets": {"fps": 60}}');
    const { code, stderr } = await runHere(t, ['record', '--', 'touch', 'ran'], { cwd });
    assert.notEqual(code, 0);
    assert.match(stderr, /budgets/);
    assert.deepEqual(readdirSync(cwd), ['svc.json']);
  },
);
