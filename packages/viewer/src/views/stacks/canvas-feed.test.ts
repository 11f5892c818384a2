import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { page, settle } from '../../../test/stand-in-page.ts';
import { CanvasFeed } from './canvas-feed.ts';
import type { FlamePalette, FlameView } from './draw/flame-view.ts';

const shown = new Set<object>();
Object.assign(document, {
  createElement: () => {
    const canvas = {
      setAttribute: () => undefined,
      transferControlToOffscreen: () => ({ of: canvas }),
      remove: () => shown.delete(canvas),
    };
    return canvas;
  },
});
const parent = { prepend: (canvas: object) => shown.add(canvas) } as unknown as HTMLElement;

const view = (x0: number) => ({ x0 }) as FlameView;
const palette = {} as FlamePalette;

/** The drawings that the worker received: their start, and whether a palette was sent. */
const drawn = (): unknown[] =>
  page.asked
    .filter(({ name }) => name === 'drawFlame')
    .map(({ args }) => {
      const { view: asked, palette: news } = args as { view: FlameView; palette: unknown };
      return [asked.x0, news !== null];
    });

beforeEach(() => {
  page.asked.length = 0;
  page.answers = { attachCanvas: () => null, detachCanvas: () => null, drawFlame: () => null };
});

test('a canvas is transferred once, and removed on detach', async () => {
  const feed = new CanvasFeed('flame');
  feed.attach(null);
  feed.attach(parent);
  feed.attach(parent);
  assert.equal(shown.size, 1);
  feed.detach();
  assert.equal(shown.size, 0);
  feed.attach(parent);
  assert.deepEqual(
    page.asked.map(({ name, args }) => [name, Reflect.get(Object(args), 'canvas')]),
    [
      ['attachCanvas', 'flame'],
      ['detachCanvas', 'flame'],
      ['attachCanvas', 'flame'],
    ],
  );
  feed.detach();
});

test('drawings run one at a time, always the latest, and a palette is sent only if it changed', async () => {
  const feed = new CanvasFeed('flame');
  const { promise, resolve } = Promise.withResolvers<null>();
  page.answers.drawFlame = () => promise;
  for (const x0 of [1, 2, 3, 4]) feed.draw(view(x0), palette);
  await settle();
  assert.deepEqual(drawn(), [[1, true]]);
  resolve(null);
  await settle();
  assert.deepEqual(drawn(), [
    [1, true],
    [4, false],
  ]);
  const other = { ...palette };
  feed.draw(view(5), other);
  await settle();
  feed.detach();
  feed.draw(view(6), other);
  await settle();
  assert.deepEqual(drawn().slice(2), [
    [5, true],
    [6, true],
  ]);
});

test('a failed drawing does not stop later ones', async () => {
  const feed = new CanvasFeed('flame');
  delete page.answers.drawFlame;
  feed.draw(view(1), palette);
  await settle();
  feed.draw(view(2), palette);
  await settle();
  assert.equal(drawn().length, 2);
});
