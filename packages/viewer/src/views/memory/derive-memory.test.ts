import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import { deriveMemory } from './derive-memory.ts';

const MIB = 1_048_576;

/** Four loads of a level. Each leaves a texture of 1 MiB. */
const LEVELS = traceFromText(`browser
${[0, 1, 2, 3]
  .map(
    (i) => `  ${i * 10_000 + 1000} span 500 level loading
  ${i * 10_000 + 1100} asset ${i} rock.png texture upload gpu_bytes=${MIB}
  ${i * 10_000 + 1200} asset ${100 + i} sky.png texture upload gpu_bytes=${MIB}
  ${i * 10_000 + 9000} release ${100 + i} gpu_bytes=0`,
  )
  .join('\n')}
  41000 end off`);

test('what each load leaves, and what is alive at the end, are listed with the words of the command line', () => {
  const { answer, repeats, repeatCount, alive, notes } = deriveMemory(modelOf(LEVELS));
  assert.match(answer, /^Each “level” leaves 1\.0 MiB of GPU memory .* Most of it: rock\.png/);
  assert.equal(repeatCount, 1);
  const [repeat] = repeats;
  assert.deepEqual([repeat?.name, repeat?.leaks, repeat?.count], ['level', true, 4]);
  assert.match(repeat?.assets[0] ?? '', /^rock\.png: \+1\.0 MiB each time/);
  assert.deepEqual(
    repeat?.loads.map(({ kept_assets }) => kept_assets),
    [1, 1, 1, null],
  );
  assert.equal(alive?.count, 4);
  assert.equal(alive?.gpu_bytes, 4 * MIB);
  assert.deepEqual(notes, []);
});

test('a trace without releases says so, and lists nothing as alive', () => {
  const { answer, alive, notes, trends } = deriveMemory(
    modelOf(traceFromText('native\n0 process rss=5 cpu=1')),
  );
  assert.equal(alive, null);
  assert.match(answer, /too short to show whether the memory of the process grows/);
  assert.ok(notes.length > 0);
  assert.deepEqual(
    trends.map(({ label }) => label),
    ['RSS'],
  );
});

test('long lists are bounded, and the latest occurrences are listed', () => {
  const loads = Array.from({ length: 130 }, (_, i) => `${i * 2000} span 100 level loading`);
  const assets = Array.from(
    { length: 2100 },
    (_, i) => `${i} asset ${i} a${i}.png texture upload gpu_bytes=5`,
  );
  const text = `browser\n${loads.join('\n')}\n${assets.join('\n')}\n0 release 0 gpu_bytes=0`;
  const { repeats, alive } = deriveMemory(modelOf(traceFromText(text)));
  assert.equal(repeats[0]?.loads.length, 100);
  assert.equal(repeats[0]?.loads.at(-1)?.from_ms, 129 * 2000);
  assert.equal(repeats[0]?.count, 130);
  assert.deepEqual([alive?.assets.length, alive?.count], [2000, 2099]);
});
