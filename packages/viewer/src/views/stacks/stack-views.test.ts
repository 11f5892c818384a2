import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFolded, type TraceModel } from '@svc/trace';
import { modelOf, stacksAt } from '../../../test/build-trace.ts';
import { StandInSurface } from '../../../test/stand-in-surface.ts';
import type { Slot } from '../../client/trace-calls.ts';
import { type StackQuery, WHOLE } from './derive/query.ts';
import type { SceneRequest } from './derive/scene-request.ts';
import type { FlameInfo, Neighbour } from './draw/flame-info.ts';
import { diffPaint, type FlamePalette, type FlameView } from './draw/flame-view.ts';
import { StackViews } from './stack-views.ts';

function folded(text: string): TraceModel {
  const { tree } = readFolded(text);
  return { ...modelOf(), stacks: [{ source: 'import', tree, times: null, main_only: true }] };
}

const known = { names: [], nodes: [] };
const TIMED = modelOf(
  stacksAt(
    0,
    100,
    [
      ['main;b', 1],
      ['main;a', 2],
    ],
    known,
  ),
  stacksAt(100, 100, [['main;a', 4]], known),
  stacksAt(200, 100, [['main;b;c', 8]], known),
);

/** The stack views of one or two traces, with a canvas named "flame". */
function open(main: TraceModel, other?: TraceModel) {
  const models: Record<Slot, TraceModel | null> = { main, other: other ?? null };
  let looks = 0;
  const views = new StackViews((slot) => {
    looks++;
    return models[slot];
  });
  const { handlers } = views;
  const surface = new StandInSurface();
  handlers.attachCanvas({ canvas: 'flame', surface: surface.canvas });
  const scene = (more: Partial<StackQuery> = {}, kind: 'merged' | 'recorded' = 'merged') =>
    ({ kind, slot: 'main', query: { ...WHOLE, ...more } }) as const;
  return {
    views,
    handlers,
    surface,
    models,
    looks: () => looks,
    show: (request: SceneRequest): FlameInfo => handlers.flame({ canvas: 'flame', scene: request }),
    scene,
    hit: (row: number, x: number) => handlers.hitFlame({ canvas: 'flame', row, x }),
    near: (box: number, to: Neighbour) => handlers.nearFlame({ canvas: 'flame', box, to }),
    search: (pattern: string) => handlers.searchFlame({ canvas: 'flame', pattern }),
    functions: (more: Partial<StackQuery> = {}) =>
      handlers.functions({ slot: 'main', query: { ...WHOLE, ...more } }),
  };
}

const part = ({ total, whole, wholeText }: FlameInfo) => [total, whole, wholeText];

test('the groups of a trace are returned with their counts', () => {
  const { handlers, models } = open(folded('a;b 1 3\nc 2 2\n'));
  assert.deepEqual(handlers.stackGroups({ slot: 'main' }), [
    {
      id: 'import/count',
      source: 'import',
      unit: 'count',
      samples: 2,
      nodes: 3,
      leftOutSamples: 0,
      twoWeights: true,
      timed: false,
    },
  ]);
  models.main = TIMED;
  const [timed] = handlers.stackGroups({ slot: 'main' });
  assert.deepEqual([timed?.id, timed?.timed, timed?.twoWeights], ['browser/ms', true, false]);
  assert.deepEqual(handlers.stackGroups({ slot: 'other' }), []);
});

test('the info of a merged graph has its size, weight and categories', () => {
  const { show, scene, hit } = open(folded('a;kern_[k] 3\na;jit_[j] 1\nb 1\n'));
  assert.deepEqual(show(scene()), {
    rows: 2,
    boxes: 4,
    span: 5,
    total: 5,
    whole: 5,
    wholeText: '5',
    unit: 'count',
    categories: [0, 1, 2],
    instead: null,
  });
  const { paint: _, ...box } = hit(1, 1) ?? {};
  assert.deepEqual(box, {
    box: 2,
    row: 1,
    x0: 0,
    x1: 3,
    name: 'kern',
    category: 'kernel',
    self: 3,
    total: 3,
    share: 0.6,
    path: ['a', 'kern_[k]'],
    before: null,
    after: null,
    beforeShare: null,
    afterShare: null,
  });
  assert.deepEqual([hit(0, 0)?.self, hit(0, 0)?.total], [0, 4]);
  assert.deepEqual([hit(1, 4.5), hit(2, 0), hit(-1, 0)], [null, null, null]);
});

test('a range and patterns show a part, and the info has the whole weight', () => {
  const { show, scene, functions } = open(TIMED);
  assert.deepEqual(part(show(scene())), [15, 15, '15']);
  assert.deepEqual(part(show(scene({ range: { from: 100, to: 200 } }))), [4, 15, '15']);
  assert.deepEqual(part(show(scene({ range: { from: 150, to: 201 } }))), [12, 15, '15']);
  const hidden = functions({ hide: '^main$' });
  assert.deepEqual([...hidden.names].sort(), ['a', 'b', 'c']);
  const kept = functions({ keep: 'MAIN|a' });
  assert.deepEqual(
    kept.names.map((name, i) => [name, kept.self[i], kept.total[i]]),
    [
      ['main', 9, 15],
      ['a', 6, 6],
    ],
  );
  const merged = functions({ merge: 'b|c' });
  assert.deepEqual(
    merged.names.map((name, i) => [name, merged.self[i], merged.total[i]]),
    [
      ['[b|c]', 9, 9],
      ['a', 6, 6],
      ['main', 0, 15],
    ],
  );
});

test('a pattern that is not a valid regular expression is searched literally', () => {
  const { search, show, scene } = open(folded('operator()(int) 3\nvec[0 1\n'));
  show(scene());
  assert.deepEqual(search('vec['), { boxes: 1, share: 0.25 });
  assert.deepEqual(search('OPERATOR'), { boxes: 1, share: 0.75 });
  assert.deepEqual(search('nothing'), { boxes: 0, share: 0 });
  assert.deepEqual(search('.'), { boxes: 2, share: 1 });
  assert.deepEqual(search(''), { boxes: 0, share: 0 });
});

test('of two weights the requested one is shown', () => {
  const { show, scene } = open(folded('a;b 1 3\nc 2 4\n'));
  assert.equal(show(scene()).total, 7);
  assert.equal(show(scene({ weight: 'before' })).total, 3);
});

test('in the order of recording samples are side by side, in a range only its own', () => {
  const { show, scene, near, hit } = open(TIMED);
  const names = (): (string | undefined)[] => {
    const row: (string | undefined)[] = [];
    for (let box = hit(1, 0); box !== null; box = near(box.box, 'next')) row.push(box.name);
    return row;
  };
  assert.equal(show(scene({}, 'recorded')).instead, null);
  assert.deepEqual(names(), ['b', 'a', 'b']);
  assert.deepEqual([hit(1, 0.5)?.x1, hit(1, 1)?.x1, hit(1, 7)?.x1], [1, 7, 15]);
  const second = show(scene({ range: { from: 100, to: 200 } }, 'recorded'));
  assert.equal(second.span, 4);
  assert.deepEqual(names(), ['a']);
  show(scene({ range: { from: 99, to: 201 } }, 'recorded'));
  assert.deepEqual(names(), ['b', 'a', 'b']);
  show(scene());
  assert.deepEqual(names(), ['b', 'a']);
});

test('without an order of recording the info states what is shown instead', () => {
  const timed = open(TIMED);
  for (const query of [{ hide: 'x' }, { keep: 'main' }, { merge: 'x' }]) {
    const { instead } = timed.show(timed.scene(query, 'recorded'));
    assert.match(instead ?? '', /^Left heavy: hidden or merged frames/);
  }
  const { show, scene, hit } = open(folded('x;y 4\nx;a 5\nw 1\n'));
  assert.match(show(scene({}, 'recorded')).instead ?? '', /^Merged, .* have no times\.$/);
  assert.equal(hit(1, 0)?.name, 'y', 'the first appearance is first');
  show(scene());
  assert.equal(hit(1, 0)?.name, 'a');
});

test('samples in order have only the weight after', () => {
  const { show, scene } = open(TIMED);
  assert.match(show(scene({ weight: 'before' }, 'recorded')).instead ?? '', /^Merged/);
});

test('a sandwich shows callers and callees of a function with the given category', () => {
  const { show, hit } = open(folded('m;read;disk 4\nn;read 2\nm;read_[k] 16\n'));
  const side = (kind: 'callers' | 'callees', name: string) =>
    show({ kind, slot: 'main', query: WHOLE, name });
  const callers = side('callers', 'read');
  assert.deepEqual(part(callers), [6, 22, '22']);
  assert.deepEqual([hit(0, 0)?.name, hit(1, 0)?.name, hit(1, 5)?.name], ['read', 'm', 'n']);
  assert.equal(side('callees', 'read').total, 6);
  assert.deepEqual([hit(0, 0)?.self, hit(1, 0)?.name, hit(1, 5)], [2, 'disk', null]);
  assert.equal(side('callers', 'read_[k]').total, 16);
  assert.equal(side('callers', 'disk').total, 4);
  assert.deepEqual([side('callers', 'gone').total, side('callers', 'gone').boxes], [0, 0]);
  const kernel = open(folded('m;read_[k] 16\n'));
  const named = kernel.show({ kind: 'callers', slot: 'main', query: WHOLE, name: 'read' });
  assert.equal(named.total, 16, 'the name is enough if it is unique');
});

test('a differential graph has both weights and shares of each box', () => {
  const { show, hit } = open(folded('a;x 30\na;new 10\n'), folded('a;x 5\na;old 15\n'));
  const side = (slot: Slot) => ({ slot, query: WHOLE });
  const diff = (width: 'after' | 'before' | 'larger') =>
    show({ kind: 'diff', before: side('other'), after: side('main'), width });
  assert.equal(diff('after').span, 40);
  const factsAt = (x: number) => {
    const box = hit(1, x);
    return [box?.name, box?.before, box?.after, box?.beforeShare, box?.afterShare];
  };
  assert.deepEqual(factsAt(0), ['x', 5, 30, 0.25, 0.75]);
  assert.deepEqual(factsAt(35), ['new', 0, 10, 0, 0.25]);
  const more = hit(1, 0)?.paint ?? 0;
  assert.equal(diff('before').span, 20);
  assert.deepEqual(factsAt(0), ['old', 15, 0, 0.75, 0]);
  assert.ok((hit(1, 0)?.paint ?? 0) < (hit(0, 0)?.paint ?? 0), 'less is painted before the same');
  assert.ok(more > (hit(0, 0)?.paint ?? 0), 'and more after it');
  assert.equal(diff('larger').span, 55);
});

test('equal shares are painted as unchanged, whatever the totals', () => {
  const { show, hit } = open(folded('a;x 50\na;y 50\n'), folded('a;x 5\na;y 5\n'));
  const side = (slot: Slot) => ({ slot, query: WHOLE });
  show({ kind: 'diff', before: side('other'), after: side('main'), width: 'after' });
  assert.deepEqual(
    [hit(0, 0)?.paint, hit(1, 0)?.paint, hit(1, 60)?.paint],
    new Array(3).fill(diffPaint(0)),
  );
});

test('functions are listed by self weight, with totals', () => {
  const { functions } = open(folded('a;b;a 5\na;c_[k] 2\nd 1\nzero 0\n'));
  assert.deepEqual(functions(), {
    names: ['a', 'c', 'd', 'b'],
    categories: ['', 'kernel', '', ''],
    self: Float64Array.from([5, 2, 1, 0]),
    total: Float64Array.from([7, 2, 1, 5]),
    sum: 8,
    whole: 8,
    unit: 'count',
    leftOut: 0,
  });
});

test('weights with decimals are returned in the unit', () => {
  const { functions, show, scene, hit, search } = open(folded('a 1.25\na;b 0.5\n'));
  assert.deepEqual(
    [[...functions().self], [...functions().total]],
    [
      [1.25, 0.5],
      [1.75, 0.5],
    ],
  );
  assert.deepEqual(part(show(scene())), [1.75, 1.75, '1.75']);
  assert.deepEqual([hit(0, 0)?.self, hit(0, 0)?.total, hit(0, 0)?.share], [1.25, 1.75, 1]);
  assert.equal(search('b').share, 0.5 / 1.75);
});

test('the tree is returned in rows, and the comparison of functions is sorted by change of share', () => {
  const { handlers } = open(folded('a;b 3\nc 1\n'), folded('a;b 1\nc 3\nd 4\n'));
  const { rows } = handlers.treeRows({ slot: 'main', query: WHOLE, open: ['a'] });
  assert.deepEqual(
    rows.map(({ key, level, total, share }) => [key, level, total, share]),
    [
      ['a', 1, 3, 0.75],
      ['a\u0000b', 2, 3, 0.75],
      ['c', 1, 1, 0.25],
    ],
  );
  const side = (slot: Slot) => ({ slot, query: WHOLE });
  const diff = handlers.diffFunctions({ before: side('other'), after: side('main') });
  assert.deepEqual(diff, {
    names: ['b', 'd', 'c', 'a'],
    selfBefore: Float64Array.from([1, 4, 3, 0]),
    selfAfter: Float64Array.from([3, 0, 1, 0]),
    totalBefore: Float64Array.from([1, 4, 3, 1]),
    totalAfter: Float64Array.from([3, 0, 1, 3]),
    sumBefore: 8,
    sumAfter: 4,
    unit: 'count',
  });
});

test('nearFlame goes up, down and sideways, and not beyond the ends', () => {
  const { show, scene, hit, near } = open(folded('a;b 4\na;c 3\ng 4\nd;e 2\nd 1\nf 1\n'));
  show(scene());
  const go = (from: string, to: Neighbour): string | undefined => {
    const places = [
      [0, 0],
      [0, 8],
      [0, 12],
      [0, 14.5],
      [1, 0],
      [1, 5],
      [1, 11],
    ] as const;
    const at = places.map(([row, x]) => hit(row, x));
    return near(at.find((box) => box?.name === from)?.box ?? -1, to)?.name;
  };
  for (const [from, to, name] of [
    ['a', 'child', 'b'],
    ['b', 'parent', 'a'],
    ['c', 'parent', 'a'],
    ['e', 'parent', 'd'],
    ['b', 'next', 'c'],
    ['c', 'next', 'e'],
    ['e', 'previous', 'c'],
    ['d', 'child', 'e'],
    ['a', 'next', 'g'],
    ['g', 'child', undefined],
    ['f', 'child', undefined],
    ['f', 'next', undefined],
    ['a', 'previous', undefined],
    ['b', 'previous', undefined],
    ['e', 'next', undefined],
    ['a', 'parent', undefined],
    ['b', 'child', undefined],
    ['e', 'first', 'a'],
    ['nowhere', 'next', 'a'],
  ] as const) {
    assert.equal(go(from, to), name, `${to} of ${from}`);
  }
  assert.equal(near(99, 'next')?.name, 'a');
});

test('nearFlame goes from match to match, row by row and cyclically', () => {
  const { show, scene, search, near } = open(folded('a;m1 4\nm2;b 3\nc;m3 2\n'));
  show(scene());
  assert.equal(near(0, 'next_match'), null, 'there is no search');
  search('^m');
  const walk = (to: 'next_match' | 'previous_match', count: number): (string | undefined)[] => {
    const names: (string | undefined)[] = [];
    let box = -1;
    for (let i = 0; i < count; i++) {
      const found = near(box, to);
      names.push(found?.name);
      box = found?.box ?? -1;
    }
    return names;
  };
  assert.deepEqual(walk('next_match', 5), ['m2', 'm1', 'm3', 'm2', 'm1']);
  assert.deepEqual(walk('previous_match', 4), ['m3', 'm1', 'm2', 'm3']);
  search('nothing');
  assert.equal(near(0, 'next_match'), null);
});

test('a box is found after the graph has grown, by its path or by its place', () => {
  const { show, scene, hit, models, views, handlers } = open(folded('a;b 4\nc;b 5\n'));
  show(scene());
  const was = hit(1, 6);
  assert.ok(was);
  assert.deepEqual(was.path, ['a', 'b']);
  models.main = folded('a;b 9\nc;b 5\n');
  views.forget();
  show(scene());
  const again = handlers.refindFlame({ canvas: 'flame', box: was, ordered: false });
  assert.deepEqual([again?.path, again?.x0, again?.total], [['a', 'b'], 0, 9]);
  assert.equal(
    handlers.refindFlame({ canvas: 'flame', box: { ...was, path: ['b', 'a'] }, ordered: false }),
    null,
  );
  assert.equal(handlers.refindFlame({ canvas: 'flame', box: was, ordered: true })?.x0, 0);
  const other = { ...was, path: ['a', 'x'] };
  assert.equal(
    handlers.refindFlame({ canvas: 'flame', box: other, ordered: true }),
    null,
    'another function is there',
  );
});

test('up to four derived trees are cached until the trace changes', () => {
  const { show, scene, looks, views, models } = open(TIMED);
  const costs = (query: Partial<StackQuery>): number => {
    const before = looks();
    show(scene(query));
    return looks() - before;
  };
  assert.deepEqual([costs({}), costs({}), costs({ hide: 'a' }), costs({})], [1, 0, 1, 0]);
  models.main = folded('z 9\n');
  assert.equal(show(scene()).total, 15);
  views.forget();
  assert.equal(show(scene()).total, 9);
  views.forget();
  for (const hide of ['1', '2', '3', '4', '5']) costs({ hide });
  assert.deepEqual([costs({ hide: '5' }), costs({ hide: '2' }), costs({ hide: '1' })], [0, 0, 1]);
});

test('an unknown group selects the first, and calls without stacks or canvas are rejected', () => {
  const { show, scene, handlers } = open(TIMED);
  assert.equal(show(scene({ group: 'native/bytes' })).unit, 'ms');
  assert.throws(() => handlers.functions({ slot: 'other', query: WHOLE }), /has no stacks/);
  assert.throws(() => handlers.flame({ canvas: 'gone', scene: scene() }), /No canvas "gone"/);
  handlers.detachCanvas({ canvas: 'flame' });
  assert.throws(() => show(scene()), /No canvas "flame"/);
  assert.equal(handlers.hitFlame({ canvas: 'flame', row: 0, x: 0 }), null);
});

test('categories are sorted, and labels come from the current tree', () => {
  const { show, scene, handlers, models, views } = open(folded('kern_[k];a 1\n'));
  assert.deepEqual(show(scene()).categories, [0, 1]);
  const names = () => handlers.flameBoxes({ canvas: 'flame', view: VIEW }).map(({ name }) => name);
  assert.deepEqual(names(), ['kern', 'a']);
  models.main = folded('other;b 1\n');
  views.forget();
  show(scene());
  assert.deepEqual(names(), ['other', 'b']);
});

const PALETTE: FlamePalette = {
  boxes: Uint32Array.from({ length: 256 }, (_, index) => index + 1),
  ground: 0,
  ink: 'ink',
  inkDimmed: 'dim',
  outline: 'line',
  chosen: -1,
  labels: true,
};
const VIEW: FlameView = {
  x0: 0,
  x1: 10,
  top: 0,
  width: 100,
  height: 40,
  rowHeight: 20,
  ratio: 1,
  upward: false,
};

test('a canvas is drawn with its last palette, and names are shortened to their boxes', () => {
  const { show, scene, handlers, surface, search } = open(
    folded('main;averylongfunctionname 6\nmain;b 4\n'),
  );
  const draw = (palette: FlamePalette | null, view: Partial<FlameView> = {}) =>
    handlers.drawFlame({ canvas: 'flame', view: { ...VIEW, ...view }, palette });
  draw(PALETTE);
  assert.equal(surface.pictures, 0, 'there is no scene yet');
  show(scene());
  draw(null);
  assert.deepEqual([surface.width, surface.height, surface.pictures], [100, 40, 1]);
  assert.deepEqual(
    surface.texts.map(({ text, fill }) => [text, fill]),
    [
      ['main', 'ink'],
      ['averylon…', 'ink'],
      ['b', 'ink'],
    ],
  );
  assert.equal(surface.pixels?.length, 4000);
  draw({ ...PALETTE, chosen: 1, labels: false });
  assert.deepEqual([surface.texts, surface.outlines], [[], [[1, 21, 58, 17]]]);
  draw({ ...PALETTE, chosen: 99 });
  assert.deepEqual(surface.outlines, []);
  search('main');
  draw(PALETTE);
  assert.deepEqual(
    surface.texts.map(({ fill }) => fill),
    ['ink', 'dim', 'dim'],
  );
  draw(null, { width: 0 });
  assert.equal(surface.width, 100, 'nothing is drawn without a size');
});

test('an overview shows the scene of its canvas, and other canvases do not', () => {
  const { show, scene, handlers } = open(TIMED);
  for (const canvas of ['flame/overview', 'flames']) {
    handlers.attachCanvas({ canvas, surface: new StandInSurface().canvas });
  }
  show(scene());
  const hit = (canvas: string) => handlers.hitFlame({ canvas, row: 0, x: 0 })?.name ?? null;
  assert.deepEqual([hit('flame'), hit('flame/overview'), hit('flames')], ['main', 'main', null]);
});

test('an export contains the visible boxes in CSS pixels, dimmed if they do not match a search', () => {
  const { show, scene, handlers, search, hit } = open(folded('main;a 6\nmain;b 4\n'));
  show(scene());
  const boxes = (view: Partial<FlameView> = {}) =>
    handlers.flameBoxes({ canvas: 'flame', view: { ...VIEW, ...view } });
  const exported = boxes({ ratio: 2, width: 200, height: 80, rowHeight: 40 });
  assert.deepEqual(
    exported.map(({ name, x, y, width, height }) => [name, x, y, width, height]),
    [
      ['main', 0, 0, 100, 19],
      ['a', 0, 20, 60, 19],
      ['b', 60, 20, 40, 19],
    ],
  );
  assert.equal(exported[1]?.paint, hit(1, 0)?.paint);
  search('^a$');
  assert.deepEqual(
    boxes().map(({ paint }) => paint >= 128),
    [true, false, true],
  );
  show(scene());
  assert.equal(
    boxes().some(({ paint }) => paint >= 128),
    false,
    'the new scene has no search yet',
  );
});
