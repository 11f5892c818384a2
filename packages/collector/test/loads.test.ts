// Loads from resource timing, and the images, bitmaps and sounds created from their bodies.
import './fake-clock.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Assets } from '../src/assets/assets.ts';
import { audio } from '../src/loads/audio.ts';
import { imageDecoders } from '../src/loads/image-decoder.ts';
import { images } from '../src/loads/images.ts';
import { resources } from '../src/loads/resources.ts';
import type { Part } from '../src/sink/sink.ts';
import { clock } from './fake-clock.ts';
import { methodsOf } from './fake-gl.ts';
import { begin, type Line, observers, type Recorded, recorded, setGlobal } from './recorded.ts';

type Started = Recorded & { readonly assets: Assets; readonly stop: () => void };

function start(t: TestContext, part: (assets: Assets) => Part): Started {
  const { sink, lines } = recorded();
  const assets = new Assets(sink);
  const stop = begin(part(assets), sink);
  t.after(stop);
  return { sink, lines, assets, stop };
}

/** A load as the browser reports it. */
class Timing {
  readonly name: string;
  readonly initiatorType: string = '';
  readonly startTime: number = clock.ms;
  readonly duration: number = 0;
  readonly requestStart: number = 0;
  readonly transferSize: number = 0;
  readonly encodedBodySize: number = 0;
  readonly decodedBodySize: number = 0;
  constructor(name: string, rest: Partial<Timing> = {}) {
    this.name = name;
    Object.assign(this, rest);
  }
}

test('a load reports its sizes and whether it came from the cache, and omits what another origin hides', (t) => {
  setGlobal(t, 'PerformanceResourceTiming', Timing);
  const made = observers(t, 'resource');
  const { sink, lines } = start(t, resources);
  assert.deepEqual(made[0]?.options, { type: 'resource', buffered: true });
  const read = (rest: Partial<Timing>, url = 'https://example.com/a.png'): Line => {
    made[0]?.tell([new Timing(url, rest)]);
    const { type, id, name, t: at, kind, phase, ...facts } = lines().at(-1) ?? {};
    assert.deepEqual([type, phase], ['asset', 'load']);
    return { at, kind, ...facts };
  };
  const sizes = { requestStart: 5, transferSize: 400, encodedBodySize: 300, decodedBodySize: 900 };
  const reported = { transfer_bytes: 400, encoded_bytes: 300, bytes: 900, cached: false };
  const load = { startTime: sink.origin + 4, duration: 20.000_4 };
  const texture = { at: 4, kind: 'texture', duration_ms: 20 };
  assert.deepEqual(read({ ...load, ...sizes }), { ...texture, ...reported });
  assert.deepEqual(read({ ...load, ...sizes, transferSize: 0 }), {
    ...texture,
    ...reported,
    transfer_bytes: 0,
    cached: true,
  });
  assert.deepEqual(read(load), { ...texture, opaque: true });
  const empty = { transfer_bytes: 0, encoded_bytes: 0, bytes: 0, cached: false };
  assert.deepEqual(read({ ...load, requestStart: 5 }), { ...texture, ...empty });
  assert.deepEqual(read({ ...load, transferSize: 300 }), {
    ...texture,
    ...empty,
    transfer_bytes: 300,
  });
  assert.equal(read({ ...load, decodedBodySize: 9 })['bytes'], 9);
  assert.deepEqual(read({ startTime: sink.origin - 50, duration: 0 }), {
    ...texture,
    at: 0,
    duration_ms: 0,
    opaque: true,
  });
  assert.deepEqual(read({ startTime: sink.origin, duration: -7 }), {
    at: 0,
    kind: 'texture',
    opaque: true,
  });
  assert.equal(read({ initiatorType: 'audio' }, 'https://example.com/music')['kind'], 'audio');
});

test('entries that are not loads, or have no address, are ignored', (t) => {
  setGlobal(t, 'PerformanceResourceTiming', Timing);
  const made = observers(t, 'resource');
  const { lines, assets } = start(t, resources);
  made[0]?.tell([{ name: 'https://example.com/a.png' }, new Timing('data:image/png;base64,AA')]);
  assert.deepEqual([lines(), assets.all.length], [[], 0]);
});

test('loads that the browser’s buffer dropped are a loss from the start', (t) => {
  const made = observers(t, 'resource');
  const { lines, sink } = start(t, resources);
  clock.ms += 5;
  made[0]?.tell([], 7);
  assert.deepEqual(lines(), [{ type: 'loss', t: 0, reason: 'buffer_full', count: 7 }]);
  assert.equal(sink.lost, 7);
});

const URL_ROCK = 'https://example.com/rock.png';

/** A response that was loaded from an address. */
function responseOf(url = URL_ROCK): Response {
  return Object.defineProperty(new Response('content'), 'url', { value: url });
}

test('the body of a response belongs to its address, as a blob, buffer or bytes, and so do copies of it', async (t) => {
  const { assets } = start(t, images);
  const nameOf = (object: unknown) => assets.of(object, 'other')?.name;
  const blob = await responseOf().blob();
  assert.equal(nameOf(blob), 'example.com/rock.png');
  assert.equal(assets.all[0]?.kind, 'texture');
  assert.equal(nameOf(await blob.arrayBuffer()), 'example.com/rock.png');
  assert.equal(nameOf(await responseOf().arrayBuffer()), 'example.com/rock.png');
  const bytes: unknown = await Reflect.get(responseOf(), 'bytes').call(responseOf());
  assert.ok(bytes instanceof Uint8Array);
  assert.equal(nameOf(bytes.buffer), 'example.com/rock.png');
  const url = URL.createObjectURL(blob);
  t.after(() => URL.revokeObjectURL(url));
  assert.equal(assets.ofUrl(url, 'other')?.name, 'example.com/rock.png');
  assert.equal(nameOf({ src: url }), 'example.com/rock.png');
  const made = await new Response('made by the game').blob();
  assert.equal(nameOf(made), undefined, 'data that was not loaded has no address');
  assert.equal(assets.all.length, 1);
});

test('after the end an object URL is not tracked', async (t) => {
  const { assets, sink } = start(t, images);
  const blob = await responseOf().blob();
  sink.on = false;
  const url = URL.createObjectURL(blob);
  t.after(() => URL.revokeObjectURL(url));
  assert.equal(assets.ofUrl(url, 'other'), undefined);
});

/** The decode records since the last call, without their common fields. */
function decodes(lines: () => Line[]): Omit<Line, 'type' | 'id' | 'phase'>[] {
  return lines()
    .filter(({ phase }) => phase === 'decode')
    .map(({ type: _type, id: _id, phase: _phase, ...rest }) => rest);
}

test('bitmaps and image elements report their decode time, and belong to their source', async (t) => {
  class FakeBitmap {
    readonly width = 8;
    readonly height = 4;
  }
  class FakeImage {
    readonly src = URL_ROCK;
    readonly naturalWidth = 6;
    readonly naturalHeight = 5;
    decode(): Promise<void> {
      clock.ms += 1;
      return Promise.resolve().then(() => {
        clock.ms += 3;
      });
    }
  }
  setGlobal(t, 'ImageBitmap', FakeBitmap);
  setGlobal(t, 'HTMLImageElement', FakeImage);
  const bitmap = new FakeBitmap();
  const stray = new ArrayBuffer(4);
  const make = async (source: unknown): Promise<unknown> => {
    clock.ms += 2;
    await Promise.resolve();
    clock.ms += 5;
    return source === stray ? {} : bitmap;
  };
  setGlobal(t, 'createImageBitmap', make);
  const { assets, lines, sink, stop } = start(t, images);
  const blob = await responseOf('https://example.com/rock.bin').blob();
  const create = (source: unknown): unknown =>
    Reflect.apply(globalThis.createImageBitmap, undefined, [source]);
  const at = sink.now();
  assert.equal(await create(blob), bitmap);
  assert.deepEqual(decodes(lines), [
    {
      t: at,
      name: 'example.com/rock.bin',
      kind: 'data',
      duration_ms: 7,
      main_thread_ms: 2,
      bytes: 128,
      dims: [8, 4],
    },
  ]);
  assert.equal(assets.of(bitmap, 'other')?.name, 'example.com/rock.bin');
  await create({});
  assets.tie(stray, assets.ofName('stray', 'texture'));
  await create(stray);
  assert.deepEqual(decodes(lines), []);
  const from = sink.now();
  await new FakeImage().decode();
  assert.deepEqual(decodes(lines), [
    {
      t: from,
      name: 'example.com/rock.png',
      kind: 'texture',
      duration_ms: 4,
      main_thread_ms: 1,
      bytes: 120,
      dims: [6, 5],
    },
  ]);
  stop();
  assert.equal(globalThis.createImageBitmap, make);
});

test('an asset without a kind that is decoded as an image is a texture', async (t) => {
  setGlobal(t, 'ImageBitmap', class {});
  setGlobal(t, 'createImageBitmap', async () => new ImageBitmap());
  const { assets } = start(t, images);
  const source = {};
  const asset = assets.ofName('rock', 'other');
  assets.tie(source, asset);
  await Reflect.apply(globalThis.createImageBitmap, undefined, [source]);
  assert.equal(asset.kind, 'texture');
});

test('a function that a worker inherits is replaced on its prototype, and restored there', async (t) => {
  const owner = Object.getPrototypeOf(globalThis);
  const make = async () => 5;
  Object.defineProperty(owner, 'createImageBitmap', {
    value: make,
    configurable: true,
    writable: true,
  });
  t.after(() => Reflect.deleteProperty(owner, 'createImageBitmap'));
  const { stop } = start(t, images);
  assert.notEqual(globalThis.createImageBitmap, make);
  assert.ok(!Object.hasOwn(globalThis, 'createImageBitmap'));
  stop();
  assert.equal(Reflect.get(owner, 'createImageBitmap'), make);
});

test('frames of an image decoder belong to the buffer or body that it decodes', async (t) => {
  const before = methodsOf(Response.prototype);
  class FakeFrame {
    readonly displayWidth = 8;
    readonly displayHeight = 2;
  }
  class FakeDecoder {
    readonly options: unknown;
    constructor(options: unknown) {
      this.options = options;
    }
    decode(stray = false): Promise<unknown> {
      clock.ms += 1;
      return Promise.resolve({ image: stray ? {} : new FakeFrame() });
    }
  }
  setGlobal(t, 'VideoFrame', FakeFrame);
  assert.equal(
    imageDecoders(new Assets(recorded().sink))(recorded().sink),
    'the browser has no ImageDecoder',
  );
  setGlobal(t, 'ImageDecoder', FakeDecoder);
  const original = FakeDecoder.prototype.decode;
  const { assets, lines, sink, stop } = start(t, imageDecoders);
  const decoderOf = (options: unknown): FakeDecoder =>
    Reflect.construct(globalThis.ImageDecoder, [options]);
  const { body } = responseOf();
  const buffer = new ArrayBuffer(8);
  assets.tie(buffer, assets.ofName('tree', 'other'));
  for (const [data, name] of [
    [body, 'example.com/rock.png'],
    [buffer, 'tree'],
    [new Uint8Array(buffer), 'tree'],
  ] as const) {
    const at = sink.now();
    const result = await decoderOf({ data }).decode();
    assert.deepEqual(decodes(lines), [
      {
        t: at,
        name,
        kind: 'texture',
        duration_ms: 1,
        main_thread_ms: 1,
        bytes: 64,
        dims: [8, 2],
      },
    ]);
    assert.equal(assets.of(Object(result).image, 'other')?.name, name);
  }
  for (const options of [undefined, null, {}, { data: new ArrayBuffer(4) }]) {
    await decoderOf(options).decode();
  }
  await decoderOf({ data: buffer }).decode(true);
  assert.deepEqual(decodes(lines), []);
  sink.on = false;
  assert.equal(assets.of(responseOf('https://example.com/late.png').body, 'other'), undefined);
  assert.equal(assets.tiedTo(decoderOf({ data: buffer })), undefined);
  stop();
  assert.equal(FakeDecoder.prototype.decode, original);
  assert.equal(globalThis.ImageDecoder, FakeDecoder);
  assert.deepEqual(methodsOf(Response.prototype), before);
});

/** The page's audio: decoding blocks for 2 ms and takes 9 ms more. */
function fakeAudio(t: TestContext) {
  class Sound {
    readonly length = 1_000;
    readonly numberOfChannels = 2;
  }
  const sound = new Sound();
  const calls: unknown[][] = [];
  const fault = new Error('no sound');
  class Context {
    decodeAudioData(...args: unknown[]): Promise<unknown> {
      calls.push(args);
      clock.ms += 2;
      return Promise.resolve().then(() => {
        clock.ms += 9;
        const [, done, failed] = args;
        if (args[0] === null) {
          if (typeof failed === 'function') failed(fault);
          throw fault;
        }
        const result = args[0] === 'stray' ? {} : sound;
        if (typeof done === 'function') done.call('self', result);
        return result;
      });
    }
  }
  setGlobal(t, 'AudioBuffer', Sound);
  setGlobal(t, 'BaseAudioContext', Context);
  return { Context, sound, calls, fault };
}

test('a sound reports its decode time, by promise or callback, and belongs to its source file', async (t) => {
  const { Context, sound, calls } = fakeAudio(t);
  const { assets, lines, sink } = start(t, audio);
  const context = new Context();
  const encoded = new ArrayBuffer(300);
  assets.tie(encoded, assets.ofName('theme', 'other'));
  const reported = {
    name: 'theme',
    kind: 'audio',
    duration_ms: 11,
    main_thread_ms: 2,
    encoded_bytes: 300,
    bytes: 8_000,
    dims: [1_000, 2],
  };
  let at = sink.now();
  assert.equal(await context.decodeAudioData(encoded), sound);
  assert.deepEqual(decodes(lines), [{ t: at, ...reported }]);
  assert.equal(assets.of(sound, 'other')?.name, 'theme');
  at = sink.now();
  const heard: unknown[] = [];
  const failed = () => {};
  const promise = context.decodeAudioData(
    encoded,
    function (this: unknown, ...args: unknown[]) {
      heard.push(this, ...args);
    },
    failed,
  );
  assert.equal(await promise, sound);
  assert.deepEqual(heard, ['self', sound]);
  assert.deepEqual(decodes(lines), [{ t: at, ...reported }], 'once');
  assert.deepEqual([calls[1]?.[0], calls[1]?.[2], calls[1]?.length], [encoded, failed, 3]);
  await context.decodeAudioData(new ArrayBuffer(4));
  assert.equal(decodes(lines)[0]?.['name'], 'sound 1');
  const data = new ArrayBuffer(4);
  assets.tie(data, assets.ofName('all.bin', 'data'));
  await context.decodeAudioData(data);
  assert.equal(decodes(lines)[0]?.['kind'], 'data', 'it keeps the kind that it has');
  await context.decodeAudioData('stray');
  assert.deepEqual(decodes(lines), []);
});

test('a sound that cannot be decoded fails as before, and a call after the end is only passed on', async (t) => {
  const { Context, calls, fault } = fakeAudio(t);
  const original = Context.prototype.decodeAudioData;
  const { lines, sink, stop } = start(t, audio);
  const context = new Context();
  await assert.rejects(context.decodeAudioData(null), fault);
  assert.deepEqual(decodes(lines), []);
  sink.on = false;
  const done = () => {};
  await context.decodeAudioData(new ArrayBuffer(4), done);
  assert.equal(calls.at(-1)?.[1], done);
  assert.deepEqual(decodes(lines), []);
  stop();
  assert.equal(Context.prototype.decodeAudioData, original);
  setGlobal(t, 'BaseAudioContext', undefined);
  assert.equal(audio(new Assets(sink))(sink), 'this context has no Web Audio');
});
