// The tests of every writer whose program executes the commands of `writers/c/test/writer-program.c`: what the writer writes, and what
// it does when the disk is slow, full or gone.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TraceModelBuilder, VptReader } from '@svc/trace';
import { cleanName } from '@svc/trace/write';
import { runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { until } from '../../scripts/until.ts';
import { framesOf, linesOf } from './trace-lines.ts';

/** A compiled program that uses a writer. */
export type WriterProgram = {
  /** The language, with which the names of the tests begin. */
  readonly language: string;
  /** The command that runs it. It is read only if the tests are not skipped. */
  readonly command: readonly string[];
  /** Why the tests cannot run, or false. */
  readonly skip: string | false;
  /** The name of the producer in the header. */
  readonly producer: string;
  /** Whether names may contain U+0000. */
  readonly acceptsNul: boolean;
};

/** Longest name that the writers keep, in bytes of UTF-8. */
const LONGEST_NAME = 255;
const DEFAULT_MEMORY = 0;
const LARGE_MEMORY = 64 << 20;
const SMALLEST_MEMORY = 1;

/** Names with private parts, quotes, control characters, invalid UTF-8, and of lengths around the limit. */
const NAMES: readonly (string | Uint8Array)[] = [
  'plain',
  'é€😀 \u2028\ufeff',
  '"quoted" \\ \u0001\b\t\n\r\u001f\u007f\u0085',
  'https://user:pw@cdn.example/a/rock.png?token=s3cret#frag',
  'https://one@two@cdn.example/a@b.png',
  'update (https://host/game.js?v=3:10:5)',
  'blob:https://user:pw@host/0b2c',
  'data:image/png;base64,AAAA',
  'img (DATA:image/png;base64,AA==)',
  'file:///home/alice/game/a.js?v=2:3:4',
  '/home/alice/My Games/rock.png',
  'load,/home/alice/a.png;~/b.png|c:\\Users\\alice\\c.png',
  'see\u3000/home/alice/a.png\u00a0/b/c.png\u2003~/d/e',
  '[/usr/lib/x86_64-linux-gnu/libc.so.6]',
  'C:\\Users\\alice\\game.exe',
  'load \\\\server\\share\\a.png',
  '~/secret/a.png',
  '~/',
  '/',
  'Foo:\\bar',
  'operator/(Vec, float)',
  'https://games.example/play/moonhop/.release/0198-ab/art/rock.png',
  'see HTTPS://User:pw@Host/.preview/0198.Sig/x.png?token=1',
  'a'.repeat(LONGEST_NAME),
  'a'.repeat(LONGEST_NAME + 1),
  `${'a'.repeat(LONGEST_NAME - 1)}é`,
  `${'a'.repeat(LONGEST_NAME - 3)}😀`,
  '\u0001'.repeat(70_000),
  '€'.repeat(70_000),
  Uint8Array.of(0x66, 0xff, 0xc3, 0x28, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0x66),
  Uint8Array.of(0xf0, 0x9f, 0x98, 0x20, 0xf4, 0x90, 0x80, 0x80, 0xe2, 0x82),
];

/** Parts of names that the cleaning treats in different ways. Random names are made of them. */
const PARTS: readonly string[] = [
  ...'/\\~:.,;@?#|"\'()<>[]{}=+- \t0aZ',
  ...['\u00a0', '\u2003', '\u3000', '\ufeff', 'é', '😀'],
  ...['http://', 'file:', 'data:', 'c:\\', '\\\\', '/.release/', '/.preview/', ':12:3', 'name'],
];

/** Tests a writer through its program. */
export function checkWriter(program: WriterProgram): void {
  describe(program.language, () => addTests(program));
}

function addTests(program: WriterProgram): void {
  const { skip } = program;

  test('every kind of record has the values of its call', { skip }, async (t) => {
    const file = join(temporaryFolder(t), 'game é.vpt');
    writeFileSync(file, 'an older file '.repeat(1000));
    const before = Date.now();
    const answers = run(program, [
      `open ${hex(file)} ${DEFAULT_MEMORY} ${hex('Radeon "X"')}`,
      ...CALLS.map(([call]) => call),
      `close ${hex('level done')}`,
      'close -',
      'frame',
      'all 2',
      'state',
    ]);
    assert.equal(answers.at(-1), 'closed 0 no error');
    const [header, ...records] = linesOf(file);
    const { started_at, ...rest } = header ?? {};
    assert.deepEqual(rest, {
      vpt: 1,
      producer: { name: program.producer, version: '1' },
      sources: ['native'],
      gpu: { name: 'Radeon "X"', software: false },
    });
    assert.match(String(started_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const started = Date.parse(String(started_at));
    assert.ok(started >= before - 1 && started <= Date.now(), `started at ${started_at}`);

    const others = records.filter((record) => record['type'] !== 'frames');
    assert.deepEqual(
      others.map((record) => ('duration_ms' in record ? record : withoutTime(record))),
      [...CALLS.flatMap(([, record]) => record ?? []), { type: 'end', reason: 'level done' }],
    );
    const unknown = { draws: null, triangles: null, gpu_ms: null, main_ms: null };
    const frames = framesOf(records);
    assert.deepEqual(frames, [
      { t: 100, duration_ms: 16.667, draws: 120, triangles: 45_000, gpu_ms: 7.25, main_ms: 3.5 },
      { t: 116.667, duration_ms: 16.4, ...unknown },
      { t: 133.067, duration_ms: 33.333, ...unknown, draws: 0, main_ms: 0 },
      { t: 500, duration_ms: 16, ...unknown, triangles: Number.MAX_SAFE_INTEGER },
    ]);
    const model = modelOf(readFileSync(file));
    assert.deepEqual([...(model.frames[0]?.duration_ms ?? [])], [16.667, 16.4, 33.333, 16]);
    await check(t, file);
  });

  test('frames and times of now are measured by the clock', { skip }, async (t) => {
    const file = join(temporaryFolder(t), 'game.vpt');
    const answers = run(program, [
      `open ${hex(file)} ${DEFAULT_MEMORY}`,
      'now',
      'frame',
      'sleep 30',
      'frame_measured 1 2 3 4',
      'frame',
      'sleep 30',
      'skip_frame',
      'frame',
      `mark ${hex('m')}`,
      `span_since ${hex('s')} - 0`,
      'sleep 30',
      'frame_with 5',
      'now',
      'close -',
    ]);
    const [from, to] = [Number(answers[1]), Number(answers.at(-2))];
    assert.ok(from >= 0 && to >= from + 90, `${from} to ${to}`);
    const records = linesOf(file);
    const frames = framesOf(records);
    const measured = frames[0];
    assert.ok((measured?.t ?? 0) >= from && (measured?.duration_ms ?? 0) >= 30);
    const values = [measured?.draws, measured?.triangles, measured?.gpu_ms, measured?.main_ms];
    assert.deepEqual(values, [3, 4, 1, 2]);
    assert.equal(frames.length, 4);
    const [second, third, last] = frames.slice(1);
    const pause = (third?.t ?? 0) - ((second?.t ?? 0) + (second?.duration_ms ?? 0));
    assert.ok(pause >= 29.9, `the third frame begins ${pause} ms after the second`);
    assert.equal(last?.duration_ms, 5);
    assert.ok((last?.t ?? 0) + 5 <= to + 0.001);
    const timeOf = (type: string) => records.find((record) => record['type'] === type);
    const mark = Number(timeOf('mark')?.['t']);
    assert.ok(mark >= (third?.t ?? 0) && mark <= to - 30);
    assert.ok(Number(timeOf('span')?.['duration_ms']) >= mark);
    assert.equal(timeOf('end')?.['reason'], 'closed');
    await check(t, file);
  });

  test('names are cut, cleaned and escaped as the format requires', { skip }, async (t) => {
    const all = [...NAMES, ...(program.acceptsNul ? ['a\u0000b', '\u0000'] : []), ...randomNames()];
    const file = join(temporaryFolder(t), 'game.vpt');
    run(program, [
      `open ${hex(file)} ${LARGE_MEMORY}`,
      'mark -',
      ...all.map((name) => `mark ${hex(name)}`),
      ...NAMES.flatMap((name) => [
        `span ${hex(name)} ${hex(name)} 0 1`,
        `counter ${hex(name)} ${hex(name)} 1`,
        `asset 0 ${hex(name)} other -1 -1`,
        'phase 0 load 1 1 -1',
      ]),
      `close ${hex('/home/alice/reason')}`,
    ]);
    const records = linesOf(file).slice(1);
    const named = (type: string, key: string) =>
      records.filter((record) => record['type'] === type).map((record) => record[key]);
    for (const [i, name] of named('mark', 'name').entries()) {
      const raw = i === 0 ? '' : (all[i - 1] ?? '');
      assert.equal(name, cleanedCut(raw), `of ${JSON.stringify(raw)}`);
    }
    assert.equal(named('mark', 'name').length, all.length + 1);
    const names = NAMES.map(cleanedCut);
    for (const [type, key] of [
      ['span', 'name'],
      ['span', 'track'],
      ['counter', 'name'],
      ['counter', 'unit'],
    ] as const) {
      assert.deepEqual(named(type, key), names, `${key} of ${type}`);
    }
    assert.deepEqual(
      named('asset', 'name'),
      names.flatMap((name) => [name, name]),
    );
    assert.deepEqual(named('end', 'reason'), ['reason']);
    await check(t, file);
  });

  test('numbers are read as the same numbers', { skip }, async (t) => {
    const values = [
      0,
      -0,
      1,
      -1,
      0.1,
      1 / 3,
      -2.5e-9,
      5e-324,
      Number.MAX_VALUE,
      2 ** 53,
      1e21,
      1e22,
    ]
      .concat([123456.789, 1e-5, 1.5e-6, 0.000123, 99.99999999999999, 1e15 + 0.5, 12345e17])
      .concat(randomDoubles(500));
    const file = join(temporaryFolder(t), 'game.vpt');
    run(program, [
      `open ${hex(file)} ${LARGE_MEMORY}`,
      ...values.map((value) => `counter - - ${Object.is(value, -0) ? '-0' : value}`),
      ...['nan', 'inf', '-inf'].map((value) => `counter - - ${value}`),
      'close -',
    ]);
    const written = linesOf(file).filter((record) => record['type'] === 'counter');
    // The format does not distinguish −0 from 0.
    assert.deepEqual(
      written.map((record) => Number(record['value']) + 0),
      values.map((value) => value + 0),
    );
    await check(t, file);
  });

  test('numbers and times do not depend on the locale', { skip }, async (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'game.vpt');
    const locale = join(folder, 'locale');
    writeFileSync(
      locale,
      'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n',
    );
    // It warns that the other categories are missing, and exits with 1.
    try {
      execFileSync('localedef', ['-c', '-i', locale, join(folder, 'xx_XX')], { stdio: 'ignore' });
    } catch {}
    const commands = [
      'locale',
      `open ${hex(file)} ${DEFAULT_MEMORY}`,
      'counter - - -12345/10',
      'counter - - -25/10000000000',
      'frame_with 65/4',
      'close -',
    ];
    const [answer] = run(program, commands, { LOCPATH: folder, LC_ALL: 'xx_XX' });
    assert.match(answer ?? '', /^yes 1,5$|^none$/);
    const [first, second, frames] = linesOf(file).slice(1);
    assert.equal(first?.['value'], -1234.5);
    assert.equal(second?.['value'], -2.5e-9);
    assert.deepEqual(frames?.['duration_ms'], [16.25]);
    await check(t, file);
  });

  test('records of many threads are written or counted as lost', { skip }, async (t) => {
    const file = join(temporaryFolder(t), 'game.vpt');
    const answers = run(program, [
      `open ${hex(file)} ${SMALLEST_MEMORY}`,
      'threads',
      'close -',
      'state',
    ]);
    const { written, lost } = countsOf(linesOf(file));
    assert.equal(written + lost, Number(answers[1]));
    assert.equal(answers[3], `closed ${lost} no error`);
    assert.ok(lost > 0);
    await check(t, file);
  });

  test('a full disk ends the trace, and not the program', { skip }, () => {
    const commands = [`open ${hex('/dev/full')} 0`, 'state', 'all 100', 'sleep 200', 'close -'];
    const answers = run(program, [...commands, 'state']);
    assert.match(answers[1] ?? '', /^closed 0 The trace cannot be written: .+/);
    assert.equal(answers.at(-1), answers[1]);
  });

  test('after a failed write the file has whole lines', { skip }, async (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'game.vpt');
    // The shell limits the size of files to 64 KiB, and the write that exceeds it fails.
    const limited = `trap '' XFSZ; ulimit -f 64; exec "$@"`;
    const through = { ...program, command: ['bash', '-c', limited, '-', ...program.command] };
    const answers = run(through, [
      `open ${hex(file)} 0`,
      'all 500',
      'sleep 2000',
      'state',
      'close -',
      'state',
    ]);
    assert.match(answers[3] ?? '', /^closed 0 The trace cannot be written: .+/);
    assert.equal(answers.at(-1), answers[3]);
    const { size } = statSync(file);
    assert.ok(size > 1000 && size <= 65_536);
    assert.ok(readFileSync(file, 'utf8').endsWith('}\n'));
    await check(t, file);
  });

  test('a file in a missing folder gives an error, and calls do nothing', { skip }, (t) => {
    const file = join(temporaryFolder(t), 'missing/game.vpt');
    const answers = run(program, [`open ${hex(file)} 0`, 'state', 'all 10', 'close -', 'state']);
    assert.match(answers[1] ?? '', /^closed 0 The trace cannot be opened: .+/);
    assert.equal(answers.at(-1), answers[1]);
    assert.equal(existsSync(file), false);
  });

  test('calls without a writer do nothing', { skip }, () => {
    assert.deepEqual(run(program, ['all 10', 'close -']), ['110 0', '']);
  });

  test('a killed program leaves whole lines but the last', { skip }, async (t) => {
    const file = join(temporaryFolder(t), 'game.vpt');
    const child = start(t, program, [`open ${hex(file)} 0`, 'endless']);
    await until(
      () => sizeOf(file),
      (size) => size > 20_000,
    );
    child.kill('SIGKILL');
    await once(child, 'close');
    const model = modelOf(readFileSync(file));
    assert.equal(model.end, null);
    const steps = [...(model.counters[0]?.value ?? [])];
    assert.ok(steps.length > 100);
    assert.deepEqual(steps, [...steps.keys()]);
    await check(t, file);
  });

  test('a program that follows the file sees whole lines', { skip }, async (t) => {
    const file = join(temporaryFolder(t), 'game.vpt');
    start(t, program, [`open ${hex(file)} 0`, 'endless']);
    for (let size = 0, seen = 0; seen < 5; seen++) {
      const before = size;
      await until(
        () => sizeOf(file),
        (now) => now > before,
      );
      const text = readFileSync(file, 'utf8');
      assert.ok(text.endsWith('}\n'));
      size = Buffer.byteLength(text);
    }
  });

  test('calls return and allocate nothing while the disk does not accept a byte', {
    skip,
  }, async (t) => {
    const folder = temporaryFolder(t);
    const [fifo, file] = [join(folder, 'fifo'), join(folder, 'game.vpt')];
    const reader = openReader(t, fifo);
    const child = start(t, program, [`open ${hex(fifo)} 0`]);
    const answers = answersOf(child);
    // The calls fill the memory and the pipe until every call is lost: then the thread waits in a write.
    const [called, lostBefore] = await fillUntilStuck(child, answers);
    const given = answers.length;
    child.stdin?.write('all 100000\nstate\n');
    await until(
      () => answers.length,
      (count) => count === given + 2,
    );
    const [calls, state] = answers.slice(given);
    assert.equal(calls, '1100000 0');
    assert.equal(state, `open ${lostBefore + 1_100_000} no error`);
    child.stdin?.end(`close -\nstate\n`);
    const bytes = await readToEnd(reader);
    writeFileSync(file, bytes);
    const { written, lost } = countsOf(linesOf(file));
    assert.equal(lost, lostBefore + 1_100_000);
    assert.equal(written + lost, called + 1_100_000);
    assert.ok(bytes.toString().endsWith('"reason":"closed"}\n'));
    await check(t, file);
  });

  test('a reader that closes its pipe ends the trace, and not the program', { skip }, async (t) => {
    const fifo = join(temporaryFolder(t), 'fifo');
    const reader = openReader(t, fifo);
    const child = start(t, program, [`open ${hex(fifo)} 0`]);
    const answers = answersOf(child);
    await until(
      () => answers.length,
      (count) => count === 1,
    );
    closeSync(reader);
    child.stdin?.end('all 1\nsleep 300\nall 1\nsleep 2000\nclose -\nstate\n');
    const [code] = await once(child, 'close');
    assert.equal(code, 0);
    assert.match(answers.at(-1) ?? '', /^closed 0 The trace cannot be written: .+/);
  });
}

/** A line of a trace. */
type Line = Readonly<Record<string, unknown>>;

const ROCK = { type: 'asset', id: 1, name: 'art/rock.png', kind: 'texture' };

/** Calls, and the record of each without the time of the call. Frames are not listed. */
const CALLS: readonly (readonly [string, Line?])[] = [
  ['frame_at 100 16.667 7.25 3.5 120 45000'],
  ['frame_at 116.9 16.4 -1 -1 -1 -1'],
  ['frame_at 133.067 33.333 nan 0 0 -1'],
  ['frame_at 500 16 inf -1 -1 9007199254740991'],
  ['frame_at -1 16 1 1 1 1'],
  ['frame_at 1e16 16 1 1 1 1'],
  ['frame_with nan'],
  ['frame_with -1'],
  [
    `span ${hex('load level')} ${hex('loading')} 20.125 300.5`,
    { type: 'span', t: 20.125, duration_ms: 300.5, name: 'load level', track: 'loading' },
  ],
  [`span ${hex('update')} - 0 0`, { type: 'span', t: 0, duration_ms: 0, name: 'update' }],
  [
    `span ${hex('long')} - 9007199254740 9007199254740`,
    { type: 'span', t: 9007199254740, duration_ms: 9007199254740, name: 'long' },
  ],
  [`span ${hex('x')} - -1 5`],
  [`span ${hex('x')} - 5 inf`],
  [`span ${hex('x')} - 9007199254741 1`],
  [`span_since ${hex('x')} - 1e9`],
  [
    `counter ${hex('score')} ${hex('count')} 1234567890123`,
    { type: 'counter', name: 'score', unit: 'count', value: 1_234_567_890_123 },
  ],
  [`counter ${hex('ratio')} - 0.1`, { type: 'counter', name: 'ratio', unit: '', value: 0.1 }],
  [`counter ${hex('x')} - nan`],
  [`counter ${hex('x')} - -inf`],
  [`asset 0 ${hex('art/rock.png')} texture 4096 -1`, { ...ROCK, phase: 'named', bytes: 4096 }],
  [
    'phase 0 load 1.5 2.25 0',
    { ...ROCK, t: 1.5, phase: 'load', bytes: 4096, duration_ms: 2.25, main_thread_ms: 0 },
  ],
  ['sizes 0 4096 8192'],
  [
    'phase 0 upload 4 1.001 1.0006',
    {
      ...{ ...ROCK, t: 4, phase: 'upload', bytes: 4096, gpu_bytes: 8192 },
      ...{ duration_ms: 1.001, main_thread_ms: 1.001 },
    },
  ],
  ['phase 0 decode 4 nan -1'],
  ['phase 0 unknown 4 1 -1'],
  ['phase 5 load 4 1 -1'],
  ['release 0', { type: 'release', id: 1, bytes: 0, gpu_bytes: 0 }],
  ...['mesh', 'audio', 'shader', 'script', 'data', 'video', 'font', 'other'].map(
    (kind, i) =>
      [
        `asset 1 ${hex(kind)} ${kind} -1 -1`,
        { type: 'asset', id: i + 2, name: kind, kind, phase: 'named' },
      ] as const,
  ),
  ...['decode', 'compile', 'read'].map(
    (phase) =>
      [
        `phase 1 ${phase} 0 0 -1`,
        { type: 'asset', t: 0, id: 9, name: 'other', kind: 'other', phase, duration_ms: 0 },
      ] as const,
  ),
  ['release 1', { type: 'release', id: 9 }],
  [`asset 2 ${hex('x')} unknown -1 -1`],
  ['phase 2 load 4 1 -1'],
  ['release 2'],
  [`mark ${hex('boss appears')}`, { type: 'mark', name: 'boss appears' }],
];

/** Text or bytes as hexadecimal digits. The empty text is `-`. */
function hex(text: string | Uint8Array): string {
  return text.length === 0 ? '-' : Buffer.from(text).toString('hex');
}

/** Runs the program with these commands to its end. Returns what each answer has before `done`. */
function run(
  { command: [file = '', ...args] }: WriterProgram,
  commands: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string[] {
  const output = execFileSync(file, args, {
    input: `${commands.join('\n')}\n`,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 200_000,
  });
  return parseAnswers(output);
}

function parseAnswers(output: string): string[] {
  return output
    .split(/\r?\n/)
    .slice(0, -1)
    .map((line) => line.replace(/ ?done$/, ''));
}

/** Starts the program with these commands, and leaves its standard input open. It is killed after the test. */
function start(
  t: TestContext,
  { command: [file = '', ...args] }: WriterProgram,
  commands: readonly string[],
): ChildProcess {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  child.stdin?.on('error', () => {});
  child.stdin?.write(`${commands.join('\n')}\n`);
  return child;
}

/** The answers of the program. The list grows. */
function answersOf(child: ChildProcess): string[] {
  const answers: string[] = [];
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
    answers.push(...parseAnswers(output).slice(answers.length));
  });
  return answers;
}

/** Makes calls until none of them is written. Returns the number of calls, and of those that were lost. */
async function fillUntilStuck(child: ChildProcess, answers: string[]): Promise<[number, number]> {
  for (let called = 0, lost = 0, stuck = 0; ; ) {
    const given = answers.length;
    child.stdin?.write('all 2000\nsleep 100\nstate\n');
    await until(
      () => answers.length,
      (count) => count === given + 3 || (given === 0 && count === 4),
    );
    called += 22_000;
    const now = Number(answers.at(-1)?.split(' ')[1]);
    stuck = now === lost + 22_000 ? stuck + 1 : 0;
    lost = now;
    if (stuck === 5) return [called, lost];
  }
}

/** Makes a FIFO and opens it for reading without waiting for its writer. */
function openReader(t: TestContext, fifo: string): number {
  execFileSync('mkfifo', [fifo]);
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  t.after(() => {
    try {
      closeSync(reader);
    } catch {}
  });
  return reader;
}

async function readToEnd(reader: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const chunk = Buffer.alloc(65_536);
  for (;;) {
    try {
      const length = readSync(reader, chunk);
      if (length === 0) return Buffer.concat(chunks);
      chunks.push(Buffer.from(chunk.subarray(0, length)));
    } catch (problem) {
      if ((problem as NodeJS.ErrnoException).code !== 'EAGAIN') throw problem;
      await sleep(5);
    }
  }
}

/** The number of calls whose records are in the trace, and of those that losses count. */
function countsOf(records: readonly Line[]): { written: number; lost: number } {
  let [written, lost] = [0, 0];
  for (const record of records.slice(1)) {
    if (record['type'] === 'frames') written += (record['duration_ms'] as number[]).length;
    else if (record['type'] === 'loss') {
      assert.equal(record['reason'], 'buffer_full');
      lost += record['count'] as number;
    } else if (record['type'] !== 'end') written += 1;
  }
  return { written, lost };
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

async function check(t: TestContext, file: string): Promise<void> {
  const { code, stdout, stderr } = await runSvc(t, ['trace', 'check', file]);
  assert.equal(code, 0, stdout + stderr);
}

function modelOf(bytes: Uint8Array) {
  const builder = new TraceModelBuilder();
  const reader = new VptReader(builder);
  reader.push(bytes);
  reader.finish();
  return builder.snapshot();
}

function withoutTime({ t, ...rest }: Line): Line {
  return rest;
}

/** A name as the writers write it: cut to LONGEST_NAME bytes before a character, then cleaned. */
function cleanedCut(name: string | Uint8Array): string {
  const bytes = Buffer.from(name);
  let end = Math.min(bytes.length, LONGEST_NAME);
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return cleanName(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, end)));
}

/** The same sequence in every run: `next(n)` is an integer from 0 to n − 1. */
function seeded(): (n: number) => number {
  let state = 1;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

function randomNames(): string[] {
  const next = seeded();
  return Array.from({ length: 5000 }, () =>
    Array.from({ length: 1 + next(12) }, () => PARTS[next(PARTS.length)]).join(''),
  );
}

function randomDoubles(count: number): number[] {
  const next = seeded();
  const bits = new DataView(new ArrayBuffer(8));
  return Array.from({ length: count }, () => {
    for (let byte = 0; byte < 8; byte++) bits.setUint8(byte, next(256));
    return bits.getFloat64(0);
  }).filter(Number.isFinite);
}
