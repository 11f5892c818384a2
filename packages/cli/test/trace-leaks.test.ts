// `svc trace leaks`: the answer, the evidence, and what a trace lacks.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { traceFromText } from '@svc/trace/testing';
import { Errors } from 'typebox/value';
import { DOCUMENTS } from '../src/documents.ts';
import { runSvc, temporaryFolder } from './svc.ts';

const MIB = 1_048_576;

/** Four loads, each of which forgets one texture of 2 MiB and reloads another one. */
const LEAKING = `browser\n${[1, 2, 3, 4]
  .map((i) => {
    const t = i * 10_000;
    return `${t} span 500 load loading
      ${t + 50} release 1 gpu_bytes=0
      ${t + 100} asset 1 rock.png texture upload gpu_bytes=${8 * MIB}
      ${t + 200} asset 2 sky.png texture upload gpu_bytes=${i * 2 * MIB}
      ${t + 200} asset ${i + 2} \u001b[2Jbuffer mesh upload gpu_bytes=${i === 4 ? 1 : 4096}
      ${t + 300} counter js_heap_bytes bytes ${100 * MIB}*9`;
  })
  .join('\n')}\n50000 end off`;

function folderWith(t: TestContext, text: string): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'a.vpt'), text);
  return folder;
}

test('svc trace leaks states first what each load leaves, then the evidence', async (t) => {
  const cwd = folderWith(t, traceFromText(LEAKING));
  const { code, stdout, stderr } = await runSvc(t, ['trace', 'leaks', 'a.vpt'], { cwd });
  assert.deepEqual([code, stderr], [0, '']);
  const lines = stdout.split('\n');
  assert.match(
    lines[0] ?? '',
    /^Each “load” leaves 2\.0 MiB of GPU memory \(3 comparisons, \+2\.0 MiB each\)\. Most of it: sky\.png \(2\.0 MiB each\), /,
  );
  assert.ok(!stdout.includes('\u001b'), 'foreign text does not act on a terminal');
  for (const line of [
    '  sky.png: +2.0 MiB each time, 6.0 MiB since the first, 1 asset',
    '  JS heap 0 B (3 comparisons, 0 B each)',
    '  1. at 10 s: 10.0 MiB of GPU memory after it, 3 new assets, of which 2 with 2.0 MiB outlived the next',
    '  4. at 40 s: 16.0 MiB of GPU memory after it, 1 new asset',
    'Alive at the end: 16.0 MiB of GPU memory in 6 assets',
    '  rock.png: 8.0 MiB since 10.1 s, 3 objects released before',
  ]) {
    assert.ok(lines.includes(line), `${line}\n\n${stdout}`);
  }
});

test('svc trace leaks --json follows its schema, and --limit shortens its lists', async (t) => {
  const cwd = folderWith(t, traceFromText(LEAKING));
  const all = await runSvc(t, ['trace', 'leaks', 'a.vpt', '--json'], { cwd });
  const report = JSON.parse(all.stdout);
  assert.deepEqual([...Errors(DOCUMENTS['trace-leaks'], report)], []);
  const [load] = report.repeats;
  assert.deepEqual(
    [load.name, load.leaks, load.count, load.gpu.count, load.loads.length],
    ['load', true, 4, 3, 4],
  );
  assert.deepEqual([load.assets[0].name, load.assets[0].each.median], ['sky.png', 2 * MIB]);
  const few = await runSvc(t, ['trace', 'leaks', 'a.vpt', '--json', '--limit', '1'], { cwd });
  const short = JSON.parse(few.stdout);
  assert.deepEqual([...Errors(DOCUMENTS['trace-leaks'], short)], []);
  assert.deepEqual(
    [short.alive.count, short.alive.assets.length, short.repeats[0].assets.length],
    [6, 1, 1],
  );
  assert.equal(short.repeats[0].loads[0].from_ms, 40_000, 'the latest load');
  const text = await runSvc(t, ['trace', 'leaks', 'a.vpt', '--limit', '1'], { cwd });
  assert.match(text.stdout, /\n5 smaller assets are not listed\. Use --limit N to list more\.\n/);
  assert.match(text.stdout, /\n {2}4\. at 40 s: /);
  for (const limit of ['0', 'x', '1001']) {
    const wrong = await runSvc(t, ['trace', 'leaks', 'a.vpt', '--limit', limit], { cwd });
    assert.equal(wrong.code, 2, limit);
  }
});

test('svc trace leaks states what a trace lacks, and the growth by time', async (t) => {
  const rss = Array.from({ length: 60 }, (_, i) => i * MIB).join(' ');
  const native = folderWith(t, traceFromText(`native\n0 process rss ${rss}`));
  const grows = await runSvc(t, ['trace', 'leaks', 'a.vpt'], { cwd: native });
  assert.match(grows.stdout, /^RSS keeps growing: \+60\.0 MiB a minute \(95 % interval /);
  assert.doesNotMatch(grows.stdout, /browser game/, 'a process has no releases to record');
  assert.match(grows.stdout, /\nBy time\n {2}RSS keeps growing: /);
  const folded = folderWith(t, '');
  writeFileSync(join(folded, 'a.folded'), 'main;work 5\n');
  const nothing = await runSvc(t, ['trace', 'leaks', 'a.folded'], { cwd: folded });
  assert.equal(nothing.code, 0, nothing.stderr);
  assert.match(nothing.stdout, /^This trace does not record releases, so it does not show /);
  assert.match(
    nothing.stdout,
    /\nTo see which assets are never released, record the browser game /,
  );
  const missing = await runSvc(t, ['trace', 'leaks', 'b.vpt'], { cwd: folded });
  assert.equal(missing.code, 1);
});
