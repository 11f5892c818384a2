import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import { deriveHeadline } from './derive-headline.ts';

const BUDGET = 1000 / 60;
const side = (text: string, range: { from: number; to: number } | null = null) => ({
  model: modelOf(traceFromText(text)),
  range,
});

const OLD = `browser
  0 frames 10*10 20 10*10 20 10*10
  0 asset 1 rock.png texture decode main_thread_ms=10
  200 asset 2 sky.png texture decode main_thread_ms=10
  0 stacks update 9000@0 | draw 1000@10
  200 stacks update 9000@0 | draw 1000@10`;
const NEW = `browser
  0 frames 10*10 20 10*10 50 10*10
  0 asset 1 rock.png texture decode main_thread_ms=10
  200 asset 2 sky.png texture decode main_thread_ms=40
  0 stacks update 9000@0 | draw 1000@10
  200 stacks update 5000@0 | draw 5000@10`;

test('the headline names the worst change, the asset and the function whose cost rose most', () => {
  const answer = deriveHeadline(side(OLD), side(NEW), BUDGET);
  assert.match(answer.headline, /^The time over budget per minute rose by \d+ % \(/);
  assert.deepEqual([answer.part, answer.warning], ['numbers', null]);
  assert.match(answer.detail, /values are worse/);
  assert.equal(answer.asset?.name, 'sky.png');
  assert.match(answer.asset?.text ?? '', /^costs \d\.\d\d frame budgets more \(/);
  assert.deepEqual(answer.function, {
    ...{ name: 'draw', text: 'takes 30.0 % of the time, 10.0 % before' },
  });
});

test('the headline is about the compared ranges', () => {
  const first = { from: 0, to: 150 };
  const same = deriveHeadline(side(OLD, first), side(NEW, first), BUDGET);
  assert.deepEqual(
    [same.headline, same.part, same.asset, same.function],
    ['Nothing changed beyond noise.', null, null, null],
  );
  const later = deriveHeadline(side(NEW, first), side(NEW, { from: 200, to: 400 }), BUDGET);
  assert.equal(later.part, 'numbers');
  assert.equal(later.function?.text, 'takes 50.0 % of the time, 10.0 % before');
  assert.match(later.asset?.text ?? '', /^is new and costs/);
});

test('the headline leads to the part that shows its change', () => {
  const heap = (valueAt: (second: number) => number) => {
    const values = Array.from({ length: 90 }, (_, second) => 1e9 + valueAt(second) * 5e6);
    return side(`browser\n0 counter js_heap_bytes bytes ${values.join(' ')}`);
  };
  const partOf = (...args: Parameters<typeof deriveHeadline>) => deriveHeadline(...args).part;
  const rising = heap((second) => second);
  assert.equal(partOf(rising, rising, BUDGET), null);
  assert.equal(
    partOf(
      heap(() => 0),
      rising,
      BUDGET,
    ),
    'numbers',
  );
  // The mean and the largest value are the same.
  const falling = heap((second) => 89 - second);
  assert.equal(partOf(falling, rising, BUDGET), 'memory');
  const asset = (ms: number) => side(`browser\n0 asset 1 a data load main_thread_ms=${ms}`);
  assert.equal(partOf(asset(1), asset(9), BUDGET), 'assets');
});

test('the headline warns about different graphics adapters, and has words for an empty name', () => {
  const software = side('browser gpu=SwiftShader software=\n0 frames 10');
  const card = side('browser gpu=Card\n0 frames 10\n0 asset 1 nameless data load main_thread_ms=9');
  const nameless = card.model.assets.map((asset) => ({ ...asset, name: '' }));
  const answer = deriveHeadline(
    software,
    { ...card, model: { ...card.model, assets: nameless } },
    BUDGET,
  );
  assert.match(answer.warning ?? '', /different graphics adapters/);
  assert.equal(answer.asset?.name, '(no name)');
});
