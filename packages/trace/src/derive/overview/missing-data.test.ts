// What a trace does not contain, by its sources and records.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { missingData } from './missing-data.ts';

function ids(text: string): string[] {
  return missingData(modelOf(traceFromText(text))).map(({ id }) => id);
}

function whatOf(text: string, id: string): string | undefined {
  return missingData(modelOf(traceFromText(text))).find((one) => one.id === id)?.what;
}

const STACKS = '0 stacks main_[M];update_[S] 1000@0';
const ASSET = '0 asset 1 a.png texture upload main_thread_ms=1';
const HEAP = '0 counter js_heap_bytes bytes 1';

test('a recording of a page that has everything misses nothing', () => {
  const whole = `browser\n0 frames 10 main_ms=5 gpu_ms=3\n${STACKS}\n${ASSET}\n${HEAP}\n20 end off`;
  assert.deepEqual(ids(whole), []);
});

test('a page without functions, main-thread times, assets, GPU times and memory lists them in this order', () => {
  assert.deepEqual(ids('browser\n0 frames 10\n20 end off'), [
    'functions',
    'main_thread',
    'assets',
    'gpu',
    'memory',
  ]);
  assert.deepEqual(ids(`browser\n0 frames 10\n${STACKS}\n20 end off`), ['assets', 'gpu', 'memory']);
  assert.deepEqual(ids(`browser\n0 frames 10 main_ms=4\n${ASSET}\n${HEAP}\n20 end off`), [
    'functions',
    'gpu',
  ]);
  assert.ok(ids('browser\n0 frames 10 10 gpu_ms=-,-\n20 end off').includes('gpu'));
});

test('a Chrome trace does not miss what only the collector records', () => {
  assert.deepEqual(ids(`import\n0 frames 10 main_ms=5\n${STACKS}\n20 end off`), []);
});

test('a native trace misses PSS, functions, files and frames', () => {
  assert.deepEqual(ids('native\n0 process cpu=1 rss=1\n20 end off'), [
    'pss',
    'native_functions',
    'files',
    'native_frames',
  ]);
  const whole = `native\n0 process cpu=1 rss=1 pss=1\n0 stacks main 5\n${ASSET}\n0 frames 10 main_ms=1\n20 end off`;
  assert.deepEqual(ids(whole), []);
});

test('native frames without functions name the native probe, and nothing is named twice', () => {
  const process = '0 process cpu=1 rss=1 pss=1';
  const text = `native\n${process}\n0 frames 10\n${ASSET}\n20 end off`;
  assert.deepEqual(ids(text), ['functions', 'main_thread']);
  for (const { how } of missingData(modelOf(traceFromText(text)))) {
    assert.match(how, /--probes (frames,)?stacks/);
    assert.doesNotMatch(how, /browser|svc record/);
  }
  const [frames] = missingData(
    modelOf(traceFromText(`native\n${process}\n${ASSET}\n0 stacks main 5\n20 end off`)),
  );
  assert.equal(frames?.id, 'native_frames');
  assert.match(frames?.how ?? '', /^Record with svc dashboard --pid PID --probes frames\. /);
});

test('stacks and assets of a browser do not count for the native program', () => {
  const text = `native browser
    0 native:process cpu=1 rss=1 pss=1
    0 browser:frames 10 main_ms=5 gpu_ms=3
    0 browser:stacks main_[M];update_[S] 1000@0
    0 browser:asset 1 a.png texture upload main_thread_ms=1
    0 browser:counter js_heap_bytes bytes 1
    20 end off`;
  assert.deepEqual(ids(text), ['native_functions', 'files']);
});

test('a trace without an end says so, unless it has neither frames nor samples of a process', () => {
  assert.equal(ids('browser\n0 frames 10')[0], 'end');
  assert.equal(ids('native\n0 process cpu=1 rss=1')[0], 'end');
  assert.deepEqual(ids('import\n0 stacks main 5'), []);
});

test('losses are listed with their time and reasons, each reason once', () => {
  const text = `browser\n0 frames 10*100\n2000 loss hidden_tab 1500\n5000 loss hidden_tab 1000\n5000 loss late_sampler 500\n10000 end off`;
  assert.equal(whatOf(text, 'losses'), '2.5 s of 10.0 s is missing: hidden tab, late sampler.');
  assert.equal(
    whatOf('browser\n0 loss a 5000\n1000 loss b 5000 probe=files\n6000 end off', 'losses'),
    '6.0 s of 6.0 s is missing: a, b.',
  );
  assert.equal(
    whatOf('browser\n0 frames 10\n0 loss buffer_full\n20 end off', 'losses'),
    'Data is missing: buffer full.',
  );
  assert.equal(
    whatOf('browser\n1 loss a\n2 loss b\n3 loss c\n4 loss d', 'losses'),
    'Data is missing: a, b, c.',
  );
});

test('graphics in software is stated with its name', () => {
  const text = `browser gpu=SwiftShader software=\n0 frames 10 main_ms=5 gpu_ms=3\n${STACKS}\n${ASSET}\n${HEAP}\n20 end off`;
  assert.deepEqual(ids(text), ['software_gpu']);
  assert.match(whatOf(text, 'software_gpu') ?? '', /in software \(SwiftShader\)/);
  assert.deepEqual(ids(text.replace(' software=', '')), []);
});
