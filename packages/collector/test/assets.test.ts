// The asset of each address and object, and the records that sum up uploads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assets } from '../src/assets/assets.ts';
import { kindOfUrl } from '../src/loads/resources.ts';
import { type Recorded, recorded, setGlobal } from './recorded.ts';

function assetsOf(): Recorded & { readonly assets: Assets } {
  const { sink, lines } = recorded();
  return { sink, lines, assets: new Assets(sink) };
}

test('URLs that differ only in the fragment are one asset, whose name has no private parts', () => {
  const { assets } = assetsOf();
  const rock = assets.ofUrl('https://example.com/rock.png?v=1#a', 'texture');
  assert.deepEqual(
    [rock?.id, rock?.name, rock?.kind, rock?.standing],
    [1, 'example.com/rock.png', 'texture', 'known'],
  );
  assert.equal(assets.ofUrl('https://example.com/rock.png?v=1#b', 'data'), rock);
  assert.notEqual(assets.ofUrl('https://example.com/rock.png?v=2', 'texture'), rock);
  for (const url of ['', 'data:image/png;base64,AA', 'blob:https://example.com/1']) {
    assert.equal(assets.ofUrl(url, 'texture'), undefined, url);
  }
  assert.equal(assets.all.length, 2);
});

test('an address is resolved against the page, or is a name chosen by the game', (t) => {
  setGlobal(t, 'document', { baseURI: 'https://example.com/game/' });
  const { assets } = assetsOf();
  const rock = assets.ofUrl('https://example.com/game/rock.png', 'texture');
  assert.equal(assets.ofAddress('rock.png', 'other'), rock);
  assert.equal(assets.ofAddress('../game/rock.png#x', 'other'), rock);
  assert.equal(assets.ofAddress('tree.png', 'texture').name, 'example.com/game/tree.png');
  const level = assets.ofUrl('https://example.com/game/levels/1', 'data');
  assert.equal(assets.ofAddress('levels/1', 'other'), level);
  assert.equal(assets.ofAddress('levels/1#x', 'other'), level);
  assets.tieBlobUrl('blob:https://example.com/1', rock);
  assert.equal(assets.ofAddress('blob:https://example.com/1', 'other'), rock);
  const sky = assets.ofAddress('sky.json?token=secret&v=1#x', 'data');
  assert.equal(sky.name, 'example.com/game/sky.json', 'the query is removed');
  assert.equal(assets.ofUrl('https://example.com/game/sky.json?token=secret&v=1', 'other'), sky);
  assert.equal(assets.ofAddress('level 3?', 'data').name, 'level 3?', 'a key chosen by the game');
  const hero = assets.ofAddress('the hero', 'mesh');
  assert.deepEqual([hero.name, hero.kind], ['the hero', 'mesh']);
  assert.equal(assets.ofName('the hero', 'other'), hero);
  assert.equal(assets.ofAddress('the hero', 'other'), hero);
});

test('without a document an address is resolved against the worker’s, and without URL.parse it is a name', (t) => {
  setGlobal(t, 'document', undefined);
  setGlobal(t, 'location', { href: 'https://example.com/game/worker.js' });
  const { assets } = assetsOf();
  assert.equal(assets.ofAddress('rock.png', 'texture').name, 'example.com/game/rock.png');
  const parse = Object.getOwnPropertyDescriptor(URL, 'parse') ?? {};
  t.after(() => Object.defineProperty(URL, 'parse', parse));
  Object.defineProperty(URL, 'parse', { value: undefined, configurable: true });
  assert.equal(assets.ofAddress('tree.png', 'texture').name, 'tree.png');
});

test('an object belongs to the asset it was tied to, else to that of its buffer, else to that of its URL', () => {
  const { assets } = assetsOf();
  const made = assets.ofName('level', 'data');
  const buffer = new ArrayBuffer(8);
  assets.tie(buffer, made);
  assets.tie(buffer, undefined);
  assets.tie('level', made);
  assert.equal(assets.of(buffer, 'other'), made);
  assert.equal(assets.of(new Uint8Array(buffer, 4), 'other'), made);
  assert.equal(assets.of({ data: new Uint8Array(buffer) }, 'other'), made);
  assert.equal(assets.tiedTo(new Uint8Array(buffer)), undefined);
  const image = { src: 'https://example.com/a.png', currentSrc: 'https://example.com/b.png' };
  assert.equal(assets.of(image, 'texture')?.name, 'example.com/b.png');
  assert.equal(
    assets.of({ src: 'https://example.com/a.png' }, 'texture')?.name,
    'example.com/a.png',
  );
  for (const stray of [null, undefined, 'level', 5, {}, { src: 5 }, new Uint8Array(4)]) {
    assert.equal(assets.of(stray, 'other'), undefined);
  }
});

test('a blob URL belongs to the asset it was created from, and the latest 2,000 are remembered', () => {
  const { assets } = assetsOf();
  const made = assets.ofName('level', 'data');
  assets.tieBlobUrl('blob:0', undefined);
  for (let i = 1; i <= 2_000; i++) assets.tieBlobUrl(`blob:${i}`, made);
  assert.equal(assets.ofUrl('blob:0', 'other'), undefined);
  assert.equal(assets.ofUrl('blob:1', 'other'), made);
  assets.tieBlobUrl('blob:2001', made);
  assert.equal(assets.ofUrl('blob:1', 'other'), undefined);
  assert.equal(assets.ofUrl('blob:2', 'other'), made);
  assert.equal(assets.ofUrl('blob:2001', 'other'), made);
});

test('unnamed assets are numbered by sort', () => {
  const { assets } = assetsOf();
  const names = ['texture', 'buffer', 'texture'].map(
    (what) => assets.unnamed(what, 'texture').name,
  );
  assert.deepEqual(names, ['texture 1', 'buffer 1', 'texture 2']);
  assert.equal(assets.all[0]?.standing, 'numbered');
});

test('assets beyond the first 20,000 share one', () => {
  const { assets } = assetsOf();
  for (let i = 0; i < 20_000; i++) assets.unnamed('texture', 'texture');
  const shared = assets.ofUrl('https://example.com/a.png', 'texture');
  assert.deepEqual(
    [shared?.id, shared?.name, shared?.kind],
    [20_001, 'assets beyond the first 20,000', 'other'],
  );
  assert.equal(assets.ofName('level', 'data'), shared);
  assert.equal(assets.unnamed('texture', 'texture'), shared);
  assert.equal(assets.all.length, 20_001);
});

test('a record of an asset has its values, and the totals of the overlay include them', () => {
  const { assets, sink, lines } = assetsOf();
  const asset = assets.ofName('rock', 'texture');
  const facts = { duration_ms: 5, main_thread_ms: 2, bytes: 64 };
  assets.record(asset, 'decode', sink.origin + 3, facts);
  assets.record(asset, 'load', sink.origin - 3, { main_thread_ms: 1 });
  const reported = { type: 'asset', id: 1, name: 'rock', kind: 'texture' };
  assert.deepEqual(lines(), [
    { ...reported, t: 3, phase: 'decode', ...facts },
    { ...reported, t: 0, phase: 'load', main_thread_ms: 1 },
  ]);
  assert.deepEqual([asset.mainMs, asset.bytes], [3, 64]);
  assets.record(asset, 'decode', sink.origin, { bytes: 16 });
  assert.equal(asset.bytes, 16, 'the latest size');
});

test('kindOfUrl recognizes the extensions of each kind', () => {
  const extensions = {
    texture: 'png jpg jpeg webp avif gif svg ktx ktx2 dds basis hdr exr tga',
    audio: 'mp3 ogg opus wav m4a aac flac',
    mesh: 'glb gltf obj fbx stl ply drc',
    video: 'mp4 webm mov m4v',
    font: 'woff woff2 ttf otf',
    script: 'js mjs wasm',
    shader: 'glsl vert frag wgsl',
    data: 'json bin dat xml csv txt data mem pck bundle br gz unityweb',
  };
  for (const [kind, list] of Object.entries(extensions)) {
    for (const extension of list.split(' ')) assert.equal(kindOfUrl(`a.${extension}`), kind);
  }
  const initiators = { img: 'texture', image: 'texture', video: 'video', script: 'script' };
  for (const [initiator, kind] of Object.entries(initiators)) {
    assert.equal(kindOfUrl('a', initiator), kind);
  }
});

test('kindOfUrl uses the extension of the path, then the initiator', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['https://example.com/a.PNG?x=.mp3#.js', '', 'texture'],
    ['a.ktx2', '', 'texture'],
    ['a.png#b.js', '', 'texture'],
    ['a.jpeg', 'audio', 'texture'],
    ['a.ogg', '', 'audio'],
    ['a.glb', '', 'mesh'],
    ['a.webm', '', 'video'],
    ['a.woff2', '', 'font'],
    ['a.mjs', '', 'script'],
    ['a.wasm', '', 'script'],
    ['a.wgsl', '', 'shader'],
    ['a.json', '', 'data'],
    ['a.png.bak', 'img', 'texture'],
    ['a', 'audio', 'audio'],
    ['a', 'fetch', 'other'],
    ['png', '', 'other'],
    ['a.undefined', '', 'other'],
    ['https://example.com', '', 'other'],
    ['a.constructor', 'constructor', 'other'],
    ['Build/game.data.unityweb', '', 'data'],
    ['Build/game.framework.js.unityweb', '', 'script'],
    ['Build/game.wasm.br', '', 'script'],
    ['Build/game.symbols.json.gz?v=1', '', 'data'],
    ['index.wasm.gz', '', 'script'],
    ['index.pck', '', 'data'],
    ['hero.ktx2.gz', '', 'texture'],
    ['hop.ogg.br', '', 'audio'],
    ['rock.glb.gz', '', 'mesh'],
    ['level.gz', '', 'data'],
  ];
  for (const [url, initiator, kind] of rows) assert.equal(kindOfUrl(url, initiator), kind, url);
});
