// `svc trace info` on recordings: the tables of series and frames, and their pictures on a terminal.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { traceFromText } from '@svc/trace/testing';
import { Errors } from 'typebox/value';
import { DOCUMENTS } from '../src/documents.ts';
import { runHere } from './run-here.ts';
import { temporaryFolder } from './svc.ts';

const MIB = 1_048_576;
/** CPU between 0 and 90 %, and memory that grows by 6 MiB a minute, for two minutes. */
const NATIVE = [
  'native',
  ...Array.from(
    { length: 120 },
    (_, i) =>
      `${i * 1000} process cpu=${(i % 10) * 10} rss=${Math.round((100 + i / 10) * MIB)} pss=${90 * MIB} threads=7`,
  ),
  '120000 end off',
].join('\n');
const BROWSER = `browser
  0 frames 10*99 60
  0 counter js_heap_bytes bytes ${40 * MIB}
  5 counter enemies count -2.5 3
  900 loss hidden_tab 10
  1100 end off`;

async function infoOf(
  t: TestContext,
  text: string,
  terminal: { isTTY?: boolean; columns?: number } | null = null,
  env: Record<string, string> = {},
): Promise<string[]> {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'a.vpt'), text.includes('"vpt"') ? text : traceFromText(text));
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), terminal);
  const { code, stderr } = await runHere(t, ['trace', 'info', 'a.vpt'], {
    cwd,
    env,
    io: { stdout },
  });
  assert.deepEqual([code, stderr], [0, '']);
  return String(stdout.read()).trimEnd().split('\n');
}

test('svc trace info describes CPU, memory and threads, and has no rows about stacks', async (t) => {
  assert.deepEqual(await infoOf(t, NATIVE), [
    'format    .vpt',
    'sources   native',
    'records   121 (120 process, 1 end)',
    'duration  2 min',
    'complete  yes',
    '',
    'measured              min      mean       p95       max  change a minute (95 %)',
    'CPU of one core       0 %      45 %      90 %      90 %  flat',
    'RSS               100 MiB   106 MiB   111 MiB   112 MiB  +6.0 MiB (6.0 to 6.0)',
    'PSS              90.0 MiB  90.0 MiB  90.0 MiB  90.0 MiB  flat',
    'threads                 7         7         7         7  flat',
  ]);
});

test('svc trace info describes frames and counters', async (t) => {
  assert.deepEqual((await infoOf(t, BROWSER)).slice(4), [
    'complete  yes',
    '',
    'measured       min      mean       p95       max  change a minute (95 %)',
    'JS heap   40.0 MiB  40.0 MiB  40.0 MiB  40.0 MiB  unknown',
    'enemies       −2.5       0.3         3         3  unknown',
    '',
    'frames   count   average   1 % low    p95    p99  longest  hitches',
    'browser     99  95.2 fps  16.7 fps  10 ms  60 ms    60 ms        1',
    '1 frame (browser) overlaps a loss and is not counted.',
  ]);
});

test('svc trace info draws each series on a terminal, beside the rows or below them', async (t) => {
  const wide = await infoOf(t, NATIVE, { isTTY: true, columns: 120 });
  assert.match(wide[6] ?? '', /change a minute \(95 %\) {2}over time$/);
  assert.match(wide[8] ?? '', / 6\.0\) +▁+▂+▃+▄+▅+▆+▇+█+$/);
  assert.match(wide[10] ?? '', /flat +█+$/);
  assert.ok(wide.every((line) => line.length <= 120) && wide.some((line) => line.length === 120));
  const usual = await infoOf(t, NATIVE, { isTTY: true });
  assert.match(usual.at(-3) ?? '', /^RSS {14}▁+▂+▃+▄+▅+▆+▇+█+$/);
  assert.ok(usual.every((line) => line.length <= 80));
  const [width] = (await infoOf(t, NATIVE)).map((line) => line.length).sort((a, b) => b - a);
  const columns = (width ?? 0) + 10;
  const beside = await infoOf(t, NATIVE, { isTTY: true, columns });
  assert.match(beside.at(-1) ?? '', /^threads .* █{8}$/);
  const below = await infoOf(t, NATIVE, { isTTY: true, columns: columns - 1 });
  assert.match(below.at(-1) ?? '', /^threads +█{60}$/);
  const vast = await infoOf(t, NATIVE, { isTTY: true, columns: 1000 });
  assert.equal(/[▁-█]+$/.exec(vast.at(-1) ?? '')?.[0].length, 60);
  const tiny = await infoOf(t, NATIVE, { isTTY: true, columns: 20 });
  assert.doesNotMatch(tiny.join('\n'), /[▁-█]/);
});

test('svc trace info draws the longest frames, and nothing in a pipe or on a dumb terminal', async (t) => {
  const frames = await infoOf(t, `browser\n0 frames 10*500 100 10*500`, {
    isTTY: true,
    columns: 120,
  });
  assert.match(frames.at(-1) ?? '', / {2}▁+█▁+$/);
  for (const lines of [
    await infoOf(t, NATIVE, { columns: 120 }),
    await infoOf(t, NATIVE, { isTTY: true, columns: 120 }, { TERM: 'dumb' }),
  ]) {
    assert.doesNotMatch(lines.join('\n'), /[▁-█]/);
  }
});

test('svc trace info names the source if there are several, and escapes and cuts names', async (t) => {
  const name = `\u001b[2J${'x'.repeat(60)}`;
  const text = `${traceFromText('native browser\n0 native:process rss=1')}${JSON.stringify({
    type: 'counter',
    t: 0,
    source: 'browser',
    name,
    unit: 'bytes',
    value: -2048,
  })}\n`;
  const lines = await infoOf(t, text);
  assert.match(lines.join('\n'), /^RSS \(native\) +1 B +1 B +1 B +1 B +unknown$/m);
  assert.match(lines.at(-1) ?? '', /^\\x1b\[2Jx{24}… +−2\.0 KiB/);
});

test('svc trace info writes the units of an interval if they differ from that of the change', async (t) => {
  const rss = Array.from({ length: 700 }, (_, i) =>
    Math.round(10e6 + i * 17_400 + ((i * 7919) % 13) * 100_000),
  );
  const lines = await infoOf(t, traceFromText(`native\n0 process rss ${rss.join(' ')}`));
  assert.match(lines.at(-1) ?? '', / {2}\+1020 KiB \(1012 KiB to 1\.0 MiB\)$/);
});

test('svc trace info states what is not exact or left out', async (t) => {
  const values = `native\n0 process threads ${Array.from({ length: 5000 }, (_, i) => i).join(' ')}`;
  assert.equal(
    (await infoOf(t, values)).at(-1),
    'p95 and change of long series are those of averages of up to 2 values.',
  );
  const counters = Array.from({ length: 66 }, (_, i) => `0 counter c${i} x 1`).join('\n');
  assert.equal(
    (await infoOf(t, `native\n${counters}`)).at(-1),
    '2 records of further counters are not shown.',
  );
  assert.equal(
    (await infoOf(t, `native\n${counters.slice(0, counters.lastIndexOf('\n'))}`)).at(-1),
    '1 record of further counters is not shown.',
  );
  const lost = 'browser\n0 frames 10*9\n15 loss hidden_tab 20';
  assert.match((await infoOf(t, lost)).join('\n'), /\n3 frames \(browser\) overlap a loss and are/);
});

test('svc trace info names the reserved counters as people know them', async (t) => {
  const names = ['js_heap_bytes', 'page_memory_bytes', 'gpu_bytes'];
  const text = names.map((name) => `0 counter ${name} bytes 1024`).join('\n');
  assert.match(
    (await infoOf(t, `browser\n${text}`)).join('\n'),
    /\nJS heap +1\.0 KiB .*\npage memory +1\.0 KiB .*\nGPU memory +1\.0 KiB /,
  );
});

test('svc trace info --json keeps its earlier fields, and adds the tables', async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'a.vpt'), traceFromText(NATIVE));
  writeFileSync(join(cwd, 'b.vpt'), traceFromText(BROWSER));
  writeFileSync(join(cwd, 'c.folded'), 'main;a 3\n');
  for (const file of ['a.vpt', 'b.vpt', 'c.folded']) {
    const { stdout } = await runHere(t, ['trace', 'info', file, '--json'], { cwd });
    const document = JSON.parse(stdout);
    assert.deepEqual([...Errors(DOCUMENTS['trace-info'], document)], [], file);
    assert.equal(document.curves, undefined);
  }
  const { stdout } = await runHere(t, ['trace', 'info', 'a.vpt', '--json'], { cwd });
  const { samples, stacks, frames, series } = JSON.parse(stdout);
  assert.deepEqual([samples, stacks, frames], [0, 0, 0]);
  assert.deepEqual(
    series.map(({ name, trend }: Record<string, unknown>) => [name, trend]),
    [
      ['cpu_percent', 'flat'],
      ['rss_bytes', 'rising'],
      ['pss_bytes', 'flat'],
      ['threads', 'flat'],
    ],
  );
});
