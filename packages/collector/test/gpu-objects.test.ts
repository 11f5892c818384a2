// The assets of textures and buffers, their bytes, and the memory that is freed when they are deleted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assets } from '../src/assets/assets.ts';
import { type GpuObject, GpuObjects, SMALL_BYTES } from '../src/gpu/gpu-objects.ts';
import { type Recorded, recorded } from './recorded.ts';

const TEXTURE = { what: 'texture', kind: 'texture', at: 0 } as const;
const BUFFER = { what: 'buffer', kind: 'mesh', at: 0 } as const;

function objectsOf(): Recorded & { readonly assets: Assets; readonly objects: GpuObjects } {
  const { sink, lines } = recorded();
  const assets = new Assets(sink);
  return { sink, lines, assets, objects: new GpuObjects(assets) };
}

/** The entry of an object, which must have one. */
function entryOf(
  objects: GpuObjects,
  object: object,
  context: object | null = null,
  what = 'texture',
): GpuObject {
  const found = objects.of(object, what, 'texture', context);
  assert.ok(found);
  return found;
}

test('an object has one entry, with its asset if that is known', () => {
  const { assets, objects } = objectsOf();
  const named = {};
  const rock = assets.ofName('rock', 'texture');
  assets.tie(named, rock);
  const entry = entryOf(objects, named);
  assert.equal(entry.asset, rock);
  assert.equal(entryOf(objects, named), entry);
  const [one, other] = [entryOf(objects, {}), entryOf(objects, {})];
  assert.equal(one.asset.name, 'small texture objects');
  assert.equal(one.asset, other.asset);
  assert.notEqual(one, other);
  for (const stray of [null, undefined, 5, 'text']) {
    assert.equal(objects.of(stray, 'texture', 'texture', null), undefined);
  }
});

test('assetOf returns the asset only if the object does not share it', () => {
  const { assets, objects } = objectsOf();
  const [small, named, unseen] = [{}, {}, {}];
  entryOf(objects, small);
  const rock = assets.ofName('rock', 'texture');
  assets.tie(named, rock);
  entryOf(objects, named);
  assert.equal(objects.assetOf(small), undefined);
  assert.equal(objects.assetOf(named), rock);
  assert.equal(objects.assetOf(unseen), undefined);
});

test('an unnamed object has its own asset once it is large', () => {
  const { objects, assets } = objectsOf();
  const entry = entryOf(objects, {});
  objects.update(entry, { ...TEXTURE, ms: 1, bytes: SMALL_BYTES - 1 });
  const shared = entry.asset;
  assert.deepEqual([shared.standing, shared.gpuBytes], ['shared', 65_535]);
  objects.update(entry, { ...TEXTURE, ms: 1, bytes: SMALL_BYTES });
  assert.deepEqual(
    [entry.asset.standing, entry.asset.name, entry.asset.gpuBytes, shared.gpuBytes],
    ['numbered', 'texture 1', 65_536, 0],
  );
  for (const bytes of [SMALL_BYTES, 4]) {
    objects.update(entry, { ...TEXTURE, ms: 1, bytes });
    assert.deepEqual([entry.asset.name, entry.asset.gpuBytes], ['texture 1', bytes]);
  }
  const named = {};
  assets.tie(named, assets.ofName('rock', 'texture'));
  objects.update(entryOf(objects, named), { ...TEXTURE, ms: 1, bytes: SMALL_BYTES });
  assert.equal(entryOf(objects, named).asset.name, 'rock');
  assert.equal(assets.gpuBytes, SMALL_BYTES + 4);
});

test('an unnamed object is named by the size and format of its largest image', () => {
  const { objects, assets } = objectsOf();
  const entry = entryOf(objects, {});
  objects.describe(entry, 'rgba8', [8, 8, 1]);
  assert.equal(entry.asset.name, 'small texture objects', 'a shared asset has no size');
  objects.update(entry, { ...TEXTURE, ms: 1, bytes: SMALL_BYTES });
  assert.equal(entry.asset.name, 'texture 8×8 RGBA8 1');
  objects.describe(entry, 'astc-6x6-srgb', [2048, 1024, 4]);
  assert.equal(entry.asset.name, 'texture 2048×1024×4 ASTC-6X6-SRGB 1');
  objects.describe(entry, 'r8', [16, 16, 1]);
  assert.equal(entry.asset.name, 'texture 2048×1024×4 ASTC-6X6-SRGB 1');
  const rock = assets.ofName('rock 2', 'texture');
  const named = entryOf(objects, {});
  objects.update(named, { ...TEXTURE, ms: 1, bytes: SMALL_BYTES, from: rock });
  objects.describe(named, 'rgba8', [256, 256, 1]);
  assert.equal(rock.name, 'rock 2');
  const second = entryOf(objects, {});
  objects.update(second, { ...TEXTURE, ms: 1, bytes: SMALL_BYTES });
  assert.equal(second.asset.name, 'texture 2', 'without a size it has only a number');
  objects.describe(second, 'rgba8', [256, 256, 1]);
  assert.equal(second.asset.name, 'texture 256×256 RGBA8 2');
});

test('the source of an upload becomes the asset of the object, unless the object has a name', () => {
  const { objects, assets } = objectsOf();
  const [rock, tree] = [assets.ofName('rock', 'texture'), assets.ofName('tree', 'texture')];
  const entry = entryOf(objects, {});
  objects.update(entry, { ...TEXTURE, ms: 1, bytes: 100, from: rock });
  assert.equal(entry.asset, rock);
  assert.deepEqual([rock.gpuBytes, rock.mainMs], [100, 1]);
  objects.update(entry, { ...TEXTURE, ms: 2, bytes: 150, from: tree });
  assert.equal(entry.asset, rock, 'it keeps the name it has');
  assert.deepEqual([rock.gpuBytes, tree.gpuBytes], [150, 0]);
  assert.deepEqual([rock.mainMs, tree.mainMs], [1, 2], 'the time belongs to the uploaded asset');
  const large = entryOf(objects, {});
  objects.update(large, { ...TEXTURE, ms: 1, bytes: SMALL_BYTES });
  const numbered = large.asset;
  objects.update(large, { ...TEXTURE, ms: 1, bytes: SMALL_BYTES, from: tree });
  assert.equal(large.asset, tree, 'a numbered asset has no name');
  assert.deepEqual([numbered.gpuBytes, tree.gpuBytes], [0, SMALL_BYTES]);
  assert.equal(assets.gpuBytes, 150 + SMALL_BYTES);
});

test('an asset without a kind has the kind of its use', () => {
  const { objects, assets } = objectsOf();
  const object = {};
  const data = assets.ofName('data', 'other');
  assets.tie(object, data);
  objects.update(entryOf(objects, object), { ...BUFFER, ms: 1, bytes: 4 });
  assert.equal(data.kind, 'mesh');
  objects.update(entryOf(objects, object), { ...TEXTURE, ms: 1, bytes: 4 });
  assert.equal(data.kind, 'mesh');
});

test('an object that the game assigns to an asset moves its bytes and shape', () => {
  const { objects, assets } = objectsOf();
  const object = {};
  const rock = assets.ofName('rock', 'texture');
  objects.give(object, rock);
  const entry = entryOf(objects, object);
  assert.equal(entry.asset.standing, 'shared', 'an unknown object has no bytes to move');
  objects.update(entry, { ...TEXTURE, ms: 1, bytes: 64 });
  objects.describe(entry, 'rgba8', [4, 4, 1]);
  const shared = entry.asset;
  assert.deepEqual([shared.format, shared.dims], ['', null], 'a shared asset has no shape');
  objects.give(object, rock);
  objects.give(object, rock);
  assert.deepEqual([rock.gpuBytes, shared.gpuBytes, assets.gpuBytes], [64, 0, 64]);
  assert.deepEqual([rock.format, rock.dims], ['rgba8', [4, 4]]);
});

test('the reported shape is that of the largest image', () => {
  const { objects, assets } = objectsOf();
  const object = {};
  const rock = assets.ofName('rock', 'texture');
  assets.tie(object, rock);
  const entry = entryOf(objects, object);
  const reported = (format: string, ...size: number[]): unknown => {
    objects.describe(entry, format, size);
    return [rock.format, rock.dims];
  };
  assert.deepEqual(reported('none', 0, 4), ['', null]);
  assert.deepEqual(reported('none', 4, 0), ['', null]);
  assert.deepEqual(reported('none', -4, -4), ['', null]);
  assert.deepEqual(reported('r8', 8, 4), ['r8', [8, 4]]);
  assert.deepEqual(reported('rg8', 4, 4, 9), ['r8', [8, 4]]);
  assert.deepEqual(
    reported('rg8', 4, 8, 3),
    ['rg8', [4, 8, 3]],
    'of two equally large images the latest',
  );
  assert.deepEqual(reported('r8', 2, 2), ['rg8', [4, 8, 3]]);
  const given = assets.ofName('given', 'texture');
  objects.give(object, given);
  assert.deepEqual([given.format, given.dims], ['rg8', [4, 8, 3]]);
  objects.give(object, rock);
  const other = entryOf(objects, {});
  objects.update(other, { ...TEXTURE, ms: 0, bytes: 0, from: rock });
  objects.describe(other, 'rgba8', [2, 2]);
  assert.deepEqual(
    [rock.format, rock.dims],
    ['rg8', [4, 8, 3]],
    'the largest of the asset’s objects',
  );
});

test('a deleted object frees its memory once', () => {
  const { objects, assets } = objectsOf();
  const object = {};
  const rock = assets.ofName('rock', 'texture');
  assets.tie(object, rock);
  objects.update(entryOf(objects, object), { ...TEXTURE, ms: 1, bytes: 64 });
  objects.remove(object, 0, 2);
  assert.deepEqual([rock.gpuBytes, assets.gpuBytes, rock.mainMs], [0, 0, 3]);
  objects.remove(object, 0, 2);
  for (const stray of [{}, null, undefined, 5]) objects.remove(stray, 0, 2);
  assert.deepEqual([rock.gpuBytes, assets.gpuBytes, rock.mainMs], [0, 0, 3]);
  assert.equal(entryOf(objects, object).bytes, 0);
});

test('a lost context frees the memory of its own objects only', () => {
  const { objects, assets } = objectsOf();
  const reported: object[] = [];
  objects.onContext = (context) => reported.push(context);
  const [lost, other] = [{}, {}];
  const rock = assets.ofName('rock', 'texture');
  const tree = assets.ofName('tree', 'texture');
  const rocks = [lost, lost, other, null].map((context) => {
    const object = {};
    assets.tie(object, rock);
    const entry = entryOf(objects, object, context);
    objects.update(entry, { ...TEXTURE, ms: 0, bytes: 100 });
    return { object, entry };
  });
  assert.deepEqual(reported, [lost, other], 'each context is reported once');
  const [first, second] = rocks;
  assert.ok(first && second);
  objects.give(first.object, tree);
  objects.remove(second.object, 0, 0);
  assert.deepEqual([rock.gpuBytes, tree.gpuBytes], [200, 100]);
  objects.loseContext({}, 0, false);
  assert.equal(assets.gpuBytes, 300, 'a context without objects has no memory');
  objects.loseContext(lost, 0, false);
  assert.deepEqual([rock.gpuBytes, tree.gpuBytes, assets.gpuBytes], [200, 0, 200]);
  objects.loseContext(lost, 0, false);
  assert.equal(assets.gpuBytes, 200);
});

test('an object of a lost context has no memory even after calls on it, and a new object has', () => {
  const { objects, assets } = objectsOf();
  const [context, object] = [{}, {}];
  const entry = entryOf(objects, object, context);
  objects.update(entry, { ...TEXTURE, ms: 0, bytes: 100 });
  objects.loseContext(context, 0, false);
  objects.update(entry, { ...TEXTURE, ms: 0, bytes: 500 });
  assert.deepEqual([entry.bytes, assets.gpuBytes], [0, 0]);
  objects.give(object, assets.ofName('rock', 'texture'));
  objects.remove(object, 0, 0);
  assert.equal(assets.gpuBytes, 0);
  const made = entryOf(objects, {}, context);
  objects.update(made, { ...TEXTURE, ms: 0, bytes: 70 });
  assert.equal(assets.gpuBytes, 70, 'the context was restored');
  objects.loseContext(context, 0, true);
  const late = entryOf(objects, {}, context);
  objects.update(late, { ...TEXTURE, ms: 0, bytes: 70 });
  assert.equal(assets.gpuBytes, 0, 'a permanently lost device has no memory');
  objects.loseContext(context, 0, true);
  assert.equal(assets.gpuBytes, 0, 'the loss counts once');
});

test('the memory of a lost context is freed once, and cannot be moved or freed again', () => {
  const { objects, assets } = objectsOf();
  const [context, given, gone] = [{}, {}, {}];
  const rock = assets.ofName('rock', 'texture');
  for (const object of [given, gone]) {
    const entry = entryOf(objects, object, context);
    objects.update(entry, { ...TEXTURE, ms: 0, bytes: 100 });
  }
  objects.loseContext(context, 0, false);
  objects.give(given, rock);
  objects.remove(gone, 0, 0);
  assert.deepEqual([rock.gpuBytes, assets.gpuBytes], [0, 0]);
});

test('a deleted object is a release, and the loss of a context or an empty object is none', () => {
  const { objects, assets, lines } = objectsOf();
  const context = {};
  const made = ['deleted', 'lost', 'empty'].map((name) => {
    const object = {};
    assets.tie(object, assets.ofName(name, 'texture'));
    const bytes = name === 'empty' ? 0 : 100;
    objects.update(entryOf(objects, object, context), { ...TEXTURE, ms: 1, bytes });
    return object;
  });
  lines();
  objects.remove(made[0], 0, 0);
  objects.loseContext(context, 0, false);
  objects.remove(made[1], 0, 0);
  objects.remove(made[2], 0, 0);
  const sizes = lines()
    .filter(({ type }) => type !== 'counter')
    .map(({ type, id, gpu_bytes }) => [type, id, gpu_bytes]);
  assert.deepEqual(sizes, [
    ['release', 1, 0],
    ['asset', 2, 0],
  ]);
});
