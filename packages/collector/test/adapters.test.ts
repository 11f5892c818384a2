// The objects that the adapters tie to files, with plain objects instead of an engine’s.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { followPhaser } from '../src/adapters/phaser.ts';
import { followPixi } from '../src/adapters/pixi.ts';
import { followThree } from '../src/adapters/three.ts';
import { start, stop } from '../src/core.ts';
import { latest } from '../src/recording/active.ts';
import { Page, setGlobal } from './recorded.ts';

/** Starts a recording of the adapters only. `nameOf` returns the name of an object's asset. */
function record(t: TestContext): (object: unknown) => string | undefined {
  t.mock.timers.enable({ apis: ['setInterval'] });
  setGlobal(t, 'document', Object.assign(new Page(), { baseURI: 'https://example.com/game/' }));
  start({
    parts: {
      frames: false,
      longTasks: false,
      memory: false,
      resources: false,
      images: false,
      audio: false,
    },
  });
  t.after(stop);
  return (object) => latest()?.assets.of(object, 'other')?.name;
}

/** A three.js loader whose result a test sets. */
class Loader {
  path: unknown = '';
  manager: unknown = undefined;
  result: unknown = undefined;
  readonly calls: unknown[][] = [];

  load(...args: unknown[]): string {
    this.calls.push(args);
    const onLoad = args[1];
    if (typeof onLoad === 'function') onLoad.call('self', this.result, 'more');
    return 'loading';
  }
}

/** A new class of loaders that is tracked until the end of the test. */
function followedLoader(t: TestContext): typeof Loader {
  class Followed extends Loader {
    override load(...args: unknown[]): string {
      return super.load(...args);
    }
  }
  t.after(followThree(Followed));
  return Followed;
}

test('three.js: the game receives its load as before, and stop restores the method', (t) => {
  record(t);
  class One extends Loader {
    override load(...args: unknown[]): string {
      return super.load(...args);
    }
  }
  class Other extends One {
    override load(...args: unknown[]): string {
      return super.load(...args);
    }
  }
  const before = [One.prototype.load, Other.prototype.load];
  const undo = followThree(One, Other, {}, class {});
  assert.notEqual(One.prototype.load, before[0]);
  assert.notEqual(Other.prototype.load, before[1]);
  const loader = new One();
  loader.result = new ArrayBuffer(4);
  const heard: unknown[] = [];
  const failed = () => {};
  const onLoad = function (this: unknown, ...results: unknown[]) {
    heard.push(this, ...results);
  };
  assert.equal(loader.load('rock.bin', onLoad, undefined, failed), 'loading');
  assert.deepEqual(heard, ['self', loader.result, 'more']);
  assert.deepEqual(loader.calls[0]?.slice(2), [undefined, failed]);
  assert.equal(loader.load('rock.bin'), 'loading', 'the callback is optional');
  const traverse = () => {
    throw new Error('of the model');
  };
  loader.result = { traverse };
  heard.length = 0;
  loader.load('rock.glb', onLoad);
  assert.equal(heard[1], loader.result, 'an unreadable result is passed on');
  loader.load(5, onLoad);
  assert.equal(
    loader.calls.at(-1)?.[1],
    onLoad,
    'an argument that is not an address is passed on unchanged',
  );
  undo();
  assert.deepEqual([One.prototype.load, Other.prototype.load], before);
});

test('three.js: the address is resolved with the loader’s path and its manager', (t) => {
  const nameOf = record(t);
  const Followed = followedLoader(t);
  const load = (path: unknown, manager: unknown): string | undefined => {
    const loader = new Followed();
    const buffer = new ArrayBuffer(4);
    Object.assign(loader, { path, manager, result: buffer });
    loader.load('rock.bin', () => {});
    return nameOf(buffer);
  };
  assert.equal(load('', undefined), 'example.com/game/rock.bin');
  assert.equal(load('art/', {}), 'example.com/game/art/rock.bin');
  const manager = {
    root: 'https://cdn.example/',
    resolveURL(url: string): unknown {
      return this.root + url;
    },
  };
  assert.equal(load('art/', manager), 'cdn.example/art/rock.bin');
  assert.equal(load(undefined, { resolveURL: () => 5 }), 'example.com/game/rock.bin');
  assert.equal(
    load('', {
      resolveURL: () => {
        throw new Error('no');
      },
    }),
    undefined,
    'a manager that fails is not heard of',
  );
});

test('three.js: images of a texture and arrays of a mesh belong to the file', (t) => {
  const nameOf = record(t);
  const Followed = followedLoader(t);
  const load = (result: unknown, url = 'rock.png'): void => {
    const loader = new Followed();
    loader.result = result;
    loader.load(url, undefined);
  };
  const [plain, one, two, data, level] = [{}, {}, {}, new Uint8Array(4), new Uint8Array(1)];
  load({ isTexture: true, image: plain });
  load({ isTexture: true, image: [one, { data: two }] });
  load({ isTexture: true, image: { data, width: 1 }, mipmaps: [{ data: level }] });
  for (const object of [plain, one, two, data, level]) {
    assert.equal(nameOf(object), 'example.com/game/rock.png');
  }
  load({ isTexture: true, image: undefined });
  const [positions, interleaved, index] = [1, 2, 3].map(() => new Float32Array(4));
  load(
    {
      isBufferGeometry: true,
      attributes: { position: { array: positions }, normal: { data: { array: interleaved } } },
      index: { array: index },
    },
    'rock.obj',
  );
  for (const array of [positions, interleaved, index]) {
    assert.equal(nameOf(array), 'example.com/game/rock.obj');
  }
  for (const stray of [undefined, null, 'text', {}]) load(stray);
});

test('three.js: meshes of a model belong to the file, and its textures are parts of it', (t) => {
  const nameOf = record(t);
  const Followed = followedLoader(t);
  const texture = (name: unknown) => ({ isTexture: true, name, image: {} });
  const [bark, unnamed, third] = [texture('bark'), texture(''), texture(undefined)];
  const array = new Float32Array(4);
  const nodes: object[] = [
    { geometry: { attributes: { position: { array } } }, material: { map: bark, colour: 5 } },
    {
      material: [
        { map: bark, normalMap: unnamed },
        { map: third, other: {} },
      ],
    },
    { material: { map: unnamed } },
    {},
  ];
  const scene = {
    traverse(this: unknown, see: (node: unknown) => void): void {
      assert.equal(this, scene);
      nodes.forEach(see);
    },
  };
  const loader = new Followed();
  loader.result = { scene };
  loader.load('models/tree.glb?v=2#x', () => {});
  assert.equal(nameOf(array), 'example.com/game/models/tree.glb');
  assert.deepEqual(
    [bark, unnamed, third].map(({ image }) => nameOf(image)),
    ['tree.glb: bark', 'tree.glb: texture 2', 'tree.glb: texture 3'],
  );
  assert.equal(latest()?.assets.of(bark.image, 'other')?.kind, 'texture');
  const own = new Float32Array(4);
  nodes.splice(0, nodes.length, { geometry: { attributes: { position: { array: own } } } });
  loader.result = scene;
  loader.load('models/rock.fbx', () => {});
  assert.equal(nameOf(own), 'example.com/game/models/rock.fbx', 'a model may be the scene itself');
});

test('Phaser: the body of a file belongs to the address it was loaded from', (t) => {
  const nameOf = record(t);
  class LoaderPlugin {
    readonly files: unknown[] = [];
    nextFile(file: unknown, ok: boolean): boolean {
      this.files.push(file);
      return ok;
    }
  }
  const original = LoaderPlugin.prototype.nextFile;
  const undo = followPhaser({ Loader: { LoaderPlugin } });
  const [response, data, empty] = [{}, {}, {}];
  const loader = new LoaderPlugin();
  const file = { src: 'art/rock.png', xhrLoader: { response }, data };
  assert.equal(loader.nextFile(file, true), true);
  assert.equal(nameOf(response), 'example.com/game/art/rock.png');
  assert.equal(nameOf(data), 'example.com/game/art/rock.png');
  assert.equal(loader.nextFile({ src: '', xhrLoader: null, data: empty }, false), false);
  assert.equal(nameOf(empty), undefined);
  for (const stray of [undefined, null, 5]) loader.nextFile(stray, true);
  assert.equal(loader.files.length, 5);
  undo();
  assert.equal(LoaderPlugin.prototype.nextFile, original);
  for (const stray of [{}, { Loader: null }]) followPhaser(stray)();
});

test('PixiJS: the resource of a texture belongs to the address in the label of its source', async (t) => {
  const nameOf = record(t);
  const textureOf = (label: unknown) => ({ source: { label, resource: {} } });
  const [one, two, three] = ['rock.png', 'tree.png', ''].map(textureOf);
  const fault = new Error('not found');
  class Loader {
    load(result: unknown): unknown {
      return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
    }
  }
  const original = Loader.prototype.load;
  const undo = followPixi({ Loader });
  const loader = new Loader();
  assert.equal(await loader.load(one), one);
  const many = { 'tree.png': two, 'none.png': three, 'level.json': { level: 1 } };
  assert.equal(await loader.load(many), many);
  assert.deepEqual(
    [one, two, three].map((texture) => nameOf(texture?.source.resource)),
    ['example.com/game/rock.png', 'example.com/game/tree.png', undefined],
  );
  for (const result of [undefined, null, 'text', [one]]) {
    assert.equal(await loader.load(result), result);
  }
  await assert.rejects(async () => loader.load(fault), fault);
  undo();
  assert.equal(Loader.prototype.load, original);
});

test('without a recording the adapters only pass calls on', async (t) => {
  const Followed = followedLoader(t);
  const loader = new Followed();
  loader.result = new ArrayBuffer(4);
  let heard = 0;
  assert.equal(
    loader.load('rock.bin', () => heard++),
    'loading',
  );
  assert.equal(heard, 1);
});
