// The notes of a game: every argument is accepted, and invalid ones are omitted and counted.
import './fake-clock.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Asset, Assets } from '../src/assets/assets.ts';
import * as svc from '../src/index.ts';
import { latest } from '../src/recording/active.ts';
import { clock } from './fake-clock.ts';
import { fakeContexts, RGBA8, TEXTURE_2D } from './fake-gl.ts';
import { type Line, Page, setGlobal } from './recorded.ts';

const PARTS = {
  frames: false,
  longTasks: false,
  memory: false,
  resources: false,
  images: false,
  audio: false,
  gpuTimer: false,
} as const;

/** Starts a recording that ends with the test. Returns its lines after the header, without the end, and its assets. */
function record(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  setGlobal(t, 'document', Object.assign(new Page(), { baseURI: 'https://example.com/game/' }));
  svc.start({ parts: { ...PARTS, webgpu: false } });
  t.after(() => svc.stop());
  const lines = (): Line[] =>
    svc
      .exportText()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type !== undefined && type !== 'log' && type !== 'end');
  return { lines, assets: assetsNow() };
}

function assetsNow(): Assets {
  const recording = latest();
  assert.ok(recording);
  return recording.assets;
}

/** The untyped functions, as a JavaScript game calls them. */
const call = (what: (...args: never[]) => unknown, ...args: unknown[]): unknown =>
  Reflect.apply(what, undefined, args);

test('marks have a name for every argument', (t) => {
  const { lines } = record(t);
  svc.mark('level 3');
  clock.ms += 2;
  for (const name of ['', 5, null, undefined, {}]) call(svc.mark, name);
  svc.mark('https://user:secret@example.com/a?token=1');
  assert.deepEqual(
    lines().map(({ t: at, name }) => [at, name]),
    [[0, 'level 3'], ...Array.from({ length: 5 }, () => [2, 'mark']), [2, 'https://example.com/a']],
  );
});

test('counters are numbers; anything else is counted as lost', (t) => {
  const { lines } = record(t);
  svc.counter('enemies', 41);
  svc.counter('speed', -0.5, 'm/s');
  call(svc.counter, 5, 1, 7);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '41', null, undefined]) {
    call(svc.counter, 'enemies', value);
  }
  const counter = { type: 'counter', t: 0 };
  assert.deepEqual(lines(), [
    { ...counter, name: 'enemies', unit: 'count', value: 41 },
    { ...counter, name: 'speed', unit: 'm/s', value: -0.5 },
    { ...counter, name: 'counter', unit: 'count', value: 1 },
  ]);
  assert.equal(svc.status().lost, 5);
});

test('a span lasts from its call to the first call of its end', (t) => {
  const { lines } = record(t);
  clock.ms += 3;
  const loading = svc.span('load level');
  const inner = svc.span('parse', 'worker');
  clock.ms += 4;
  inner.end();
  clock.ms += 5;
  loading.end();
  clock.ms += 6;
  loading.end();
  {
    using _span = svc.span('used');
    clock.ms += 7;
  }
  assert.deepEqual(lines(), [
    { type: 'span', t: 3, duration_ms: 4, name: 'parse', track: 'worker' },
    { type: 'span', t: 3, duration_ms: 9, name: 'load level' },
    { type: 'span', t: 18, duration_ms: 7, name: 'used' },
  ]);
  const odd = Object(call(svc.span, 5, 6));
  odd.end();
  assert.deepEqual(lines().at(-1), {
    type: 'span',
    t: 25,
    duration_ms: 0,
    name: 'span',
    track: 'main',
  });
});

test('only the part of a span within the recording is reported, and no span that ends after it', (t) => {
  const early = svc.span('early');
  clock.ms += 50;
  const first = record(t);
  clock.ms += 5;
  early.end();
  assert.deepEqual(first.lines(), [{ type: 'span', t: 0, duration_ms: 5, name: 'early' }]);
  const late = svc.span('late');
  svc.stop();
  late.end();
  svc.start({ parts: PARTS });
  late.end();
  assert.deepEqual(first.lines(), [], 'it ended when no recording ran');
});

test('an asset note has its phase and start, and only valid sizes and times', (t) => {
  const { lines } = record(t);
  clock.ms += 100;
  let notes = 0;
  const note = (value: unknown): Line => {
    call(svc.asset, 'levels/sky.json', value);
    const reported = lines();
    assert.equal(reported.length, ++notes);
    const { type, id, name, ...rest } = reported.at(-1) ?? {};
    assert.deepEqual([type, id, name], ['asset', 1, 'example.com/game/levels/sky.json']);
    return rest;
  };
  const named = { t: 100, kind: 'other', phase: 'named' };
  assert.deepEqual(note(undefined), named);
  assert.deepEqual(note(null), named);
  assert.deepEqual(note({ phase: 'explode', kind: 'planet' }), named);
  assert.deepEqual(note({ kind: 'data', phase: 'read', durationMs: 20.000_4, mainThreadMs: 8 }), {
    t: 80,
    kind: 'data',
    phase: 'read',
    duration_ms: 20,
    main_thread_ms: 8,
  });
  const decode = { t: 100, kind: 'data', phase: 'decode' };
  assert.deepEqual(note({ phase: 'decode', bytes: 7, encodedBytes: 0 }), {
    ...decode,
    bytes: 7,
    encoded_bytes: 0,
  });
  const latest = 9_007_199_254_740;
  for (const time of [-1, Number.NaN, latest + 1, Number.POSITIVE_INFINITY, '5', null]) {
    const value = { phase: 'decode', durationMs: time, mainThreadMs: time };
    assert.deepEqual(note(value), decode, String(time));
  }
  for (const bytes of [-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1, '5', null]) {
    const value = { phase: 'decode', bytes, encodedBytes: bytes };
    assert.deepEqual(note(value), decode, String(bytes));
  }
  assert.deepEqual(note({ phase: 'decode', mainThreadMs: latest, bytes: 0, durationMs: 0 }), {
    ...decode,
    duration_ms: 0,
    main_thread_ms: latest,
    bytes: 0,
  });
  for (const phase of ['load', 'decode', 'upload', 'compile', 'read', 'named']) {
    assert.equal(note({ phase })['phase'], phase);
  }
});

test('a valid name is used, and belongs to the asset from then on', (t) => {
  const { lines, assets } = record(t);
  svc.asset('rock.png', { name: 'the rock', kind: 'texture' });
  svc.asset('rock.png', { phase: 'upload' });
  call(svc.asset, 'rock.png', { name: 5 });
  svc.asset('rock.png', { name: '' });
  assert.deepEqual(
    lines().map(({ name, kind }) => [name, kind]),
    Array.from({ length: 4 }, () => ['the rock', 'texture']),
  );
  assert.equal(assets.all.length, 1);
});

test('an object belongs to the asset whose address or name is passed with it', (t) => {
  const { assets } = record(t);
  const nameOf = (object: unknown): string | undefined => assets.of(object, 'other')?.name;
  const [loaded, named, unknown] = [{}, {}, {}];
  svc.asset(loaded, { url: 'rock.png', kind: 'texture' });
  assert.equal(nameOf(loaded), 'example.com/game/rock.png');
  svc.asset(loaded, { name: 'the rock' });
  assert.equal(nameOf(loaded), 'the rock', 'the object has a name already');
  assert.equal(assets.all.length, 1);
  svc.asset(loaded, { url: 'tree.png' });
  assert.equal(nameOf(loaded), 'example.com/game/tree.png', 'an address is preferred');
  const made = {};
  svc.asset(made, { url: 'made?of=rock&token=secret' });
  assert.equal(nameOf(made), 'example.com/game/made', 'the query is removed from the URL');
  svc.asset(named, { name: 'hero', kind: 'mesh' });
  assert.deepEqual([nameOf(named), assets.of(named, 'other')?.kind], ['hero', 'mesh']);
  const before = svc.status().lost;
  svc.asset(unknown);
  svc.asset(unknown, { kind: 'mesh' });
  call(svc.asset, unknown, { name: 5, url: 6 });
  for (const stray of [5, null, undefined, true]) call(svc.asset, stray, { name: 'stray' });
  assert.equal(nameOf(unknown), undefined);
  assert.equal(svc.status().lost - before, 7);
  assert.equal(assets.all.length, 4);
});

test('an array that covers its buffer names the buffer, and a partial one only itself', (t) => {
  const { assets } = record(t);
  const [whole, shared] = [new ArrayBuffer(16), new ArrayBuffer(16)];
  svc.asset(new Float32Array(whole), { name: 'level' });
  assert.equal(assets.of(new Uint8Array(whole, 4), 'other')?.name, 'level');
  const [one, other] = [new Uint8Array(shared, 0, 8), new Uint8Array(shared, 8)];
  svc.asset(one, { name: 'one' });
  svc.asset(other, { name: 'other' });
  assert.deepEqual(
    [one, other].map((view) => assets.of(view, 'other')?.name),
    ['one', 'other'],
  );
  assert.equal(assets.of(shared, 'other'), undefined);
});

test('a texture moves its memory to the name that the game gives it, before or after the upload', (t) => {
  const { Gl2 } = fakeContexts(t);
  const { assets } = record(t);
  const gl = new Gl2();
  const store = (texture: object, side: number): void => {
    gl.parameters.set(0x8069, texture);
    gl.call('texStorage2D', TEXTURE_2D, 1, RGBA8, side, side);
  };
  const held = (): (readonly [string, number, Asset['standing']])[] =>
    assets.all.map(({ name, gpuBytes, standing }) => [name, gpuBytes, standing]);
  const [before, after, large] = [{}, {}, {}];
  svc.asset(before, { name: 'before' });
  store(before, 4);
  store(after, 8);
  svc.asset(after, { name: 'after' });
  store(large, 256);
  assert.equal(held().at(-1)?.[2], 'numbered');
  svc.asset(large, { name: 'large' });
  assert.deepEqual(held(), [
    ['before', 64, 'known'],
    ['small texture objects', 0, 'shared'],
    ['after', 256, 'known'],
    ['large', 262_144, 'known'],
  ]);
  svc.asset(after, { url: 'rock.png' });
  assert.deepEqual(held().slice(2), [
    ['after', 0, 'known'],
    ['large', 262_144, 'known'],
    ['example.com/game/rock.png', 256, 'known'],
  ]);
});
