// Methods, classes and getters that are replaced and restored, on objects of this file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply, type Method, replaceMethod, seeMade, seeRead, undoAll } from './patch.ts';

class Canvas {
  width = 3;
  draw(times: number, _more: number): number {
    return this.width * times;
  }
  get area(): number {
    return this.width * this.width;
  }
}

const descriptorOf = (owner: object, name: string) => Object.getOwnPropertyDescriptor(owner, name);

/** A copy of the class that a test may change. */
function canvasClass(): typeof Canvas {
  const Copy = class extends Canvas {};
  Object.defineProperties(Copy.prototype, {
    draw: descriptorOf(Canvas.prototype, 'draw') ?? {},
    area: descriptorOf(Canvas.prototype, 'area') ?? {},
  });
  return Copy;
}

/** Calls `see` with the arguments, then the original. */
function passOn(see: (args: readonly unknown[]) => void): (original: Method) => Method {
  return (original) =>
    function (this: unknown, ...args: readonly unknown[]): unknown {
      see(args);
      return apply(original, this, args);
    };
}

test('replaceMethod: the replacement looks like the original and calls it, and the undo restores the same function', () => {
  const Own = canvasClass();
  const before = descriptorOf(Own.prototype, 'draw');
  const seen: unknown[] = [];
  const undo = replaceMethod(
    Own.prototype,
    'draw',
    passOn((args) => seen.push(...args)),
  );
  const { draw } = Own.prototype;
  assert.notEqual(draw, before?.value);
  assert.deepEqual([draw.name, draw.length, String(draw)], ['draw', 2, String(before?.value)]);
  for (const key of ['name', 'length']) {
    assert.deepEqual(descriptorOf(draw, key), descriptorOf(before?.value, key));
  }
  assert.deepEqual(Object.keys(draw), []);
  const { value: _, ...how } = descriptorOf(Own.prototype, 'draw') ?? {};
  assert.deepEqual(how, { writable: true, enumerable: false, configurable: true });
  assert.equal(new Own().draw(2, 0), 6);
  assert.deepEqual(seen, [2, 0]);
  undo?.();
  assert.deepEqual(descriptorOf(Own.prototype, 'draw'), before);
  new Own().draw(2, 0);
  assert.equal(seen.length, 2);
});

test('replaceMethod: a game can redefine the name, length and descriptor of the replacement, as of a browser method', () => {
  const Own = canvasClass();
  replaceMethod(
    Own.prototype,
    'draw',
    passOn(() => {}),
  );
  const { draw } = Own.prototype;
  Object.assign(draw, { toString: () => 'mine' });
  assert.equal(String(draw), 'mine');
  for (const key of ['name', 'length', 'toString']) {
    assert.equal(Reflect.deleteProperty(draw, key), true, key);
  }
  assert.match(String(draw), /^function/);
});

test('replaceMethod: the undo keeps a replacement that other code made later', () => {
  const Own = canvasClass();
  const undo = replaceMethod(
    Own.prototype,
    'draw',
    passOn(() => {}),
  );
  const ours = Own.prototype.draw;
  const wrap = function (this: Canvas, times: number): number {
    return ours.call(this, times, 0) + 1;
  };
  Own.prototype.draw = wrap;
  undo?.();
  assert.equal(Own.prototype.draw, wrap);
  assert.equal(new Own().draw(2, 0), 7);
});

test('a missing or frozen method is not replaced', () => {
  const make = () => assert.fail('nothing to replace');
  const see = () => assert.fail('nothing to see');
  assert.equal(replaceMethod(undefined, 'draw', make), null);
  assert.equal(replaceMethod(null, 'draw', make), null);
  assert.equal(replaceMethod({}, 'draw', make), null);
  assert.equal(replaceMethod({ draw: 1 }, 'draw', make), null);
  assert.equal(replaceMethod(Object.freeze({ draw() {} }), 'draw', make), null);
  assert.equal(
    replaceMethod(new Canvas(), 'draw', make),
    null,
    'the method belongs to the prototype',
  );
  assert.equal(seeMade({}, 'Canvas', see), null);
  assert.equal(seeMade({ Canvas: 1 }, 'Canvas', see), null);
  assert.equal(seeMade(Object.freeze({ Canvas }), 'Canvas', see), null);
  assert.equal(seeRead(undefined, 'area', see), null);
  assert.equal(seeRead({}, 'area', see), null);
  assert.equal(seeRead({ area: 1 }, 'area', see), null);
  const frozen = Object.freeze({
    get area() {
      return 1;
    },
  });
  assert.equal(seeRead(frozen, 'area', see), null);
});

test('seeRead: the getter looks the same, returns the same and reports its object, and the undo restores the original', () => {
  const Own = canvasClass();
  const before = descriptorOf(Own.prototype, 'area');
  const seen: unknown[] = [];
  const undo = seeRead(Own.prototype, 'area', (self, value) => seen.push(self, value));
  const canvas = new Own();
  const get = descriptorOf(Own.prototype, 'area')?.get;
  assert.notEqual(get, before?.get);
  assert.deepEqual([get?.name, get?.length, String(get)], ['get area', 0, String(before?.get)]);
  assert.equal(canvas.area, 9);
  assert.deepEqual(seen, [canvas, 9]);
  assert.equal(seen[0], canvas);
  undo?.();
  assert.deepEqual(descriptorOf(Own.prototype, 'area'), before);
  assert.equal(descriptorOf(Own.prototype, 'area')?.get, before?.get);
  assert.equal(canvas.area, 9);
  assert.equal(seen.length, 2);
});

test('seeRead: the undo keeps a getter that other code defined later', () => {
  const Own = canvasClass();
  const undo = seeRead(Own.prototype, 'area', () => {});
  Object.defineProperty(Own.prototype, 'area', { get: () => 100, configurable: true });
  undo?.();
  assert.equal(new Own().area, 100);
});

test('seeMade: a new object is reported with its arguments, the class looks the same to the game, and the undo restores it', () => {
  class Reader {
    static readonly kinds = ['a'];
    readonly path: string;
    constructor(path: string) {
      this.path = path;
    }
  }
  const owner = { Reader };
  const seen: unknown[] = [];
  const undo = seeMade(owner, 'Reader', (made, args) => seen.push(made, ...args));
  assert.notEqual(owner.Reader, Reader);
  const made = new owner.Reader('x');
  assert.deepEqual([seen[0] === made, seen[1], made.path], [true, 'x', 'x']);
  assert.ok(made instanceof Reader && made instanceof owner.Reader);
  class Own extends owner.Reader {}
  assert.ok(new Own('y') instanceof Own, 'a subclass creates its own instances');
  assert.equal(seen.length, 4);
  assert.deepEqual(
    [owner.Reader.kinds, owner.Reader.name, String(owner.Reader)],
    [Reader.kinds, 'Reader', String(Reader)],
  );
  undo?.();
  assert.equal(owner.Reader, Reader);
  new owner.Reader('z');
  assert.equal(seen.length, 4);
});

test('undoAll runs in reverse order, so that two replacements of one method leave the original', () => {
  const Own = canvasClass();
  const before = descriptorOf(Own.prototype, 'draw');
  const twice = [1, 2].map(() =>
    replaceMethod(
      Own.prototype,
      'draw',
      passOn(() => {}),
    ),
  );
  undoAll([twice[0] ?? null, null, twice[1] ?? null]);
  assert.deepEqual(descriptorOf(Own.prototype, 'draw'), before);
  assert.equal(descriptorOf(Own.prototype, 'draw')?.value, before?.value);
});
