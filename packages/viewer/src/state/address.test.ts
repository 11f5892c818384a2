import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page } from '../../test/stand-in-page.ts';
import {
  budgetMs,
  focusName,
  hidePattern,
  keepPattern,
  memoryBudget,
  mergePattern,
  momentFragment,
  momentRange,
  otherRange,
  parseRange,
  search,
  selection,
  stackMode,
  startAddress,
  view,
} from './address.ts';

page.location.pathname = '/index.html';
page.go('#view=frames&budget=20');
startAddress();

const SIGNALS = {
  view,
  selection,
  momentRange,
  otherRange,
  stackMode,
  search,
  hidePattern,
  keepPattern,
  mergePattern,
  focusName,
  budgetMs,
  memoryBudget,
};

const SHOWN = {
  view: 'stacks',
  selection: { from: 1.5, to: 2000 },
  momentRange: { from: 3, to: 4.25 },
  otherRange: 'same',
  stackMode: 'sandwich',
  search: 'a|b',
  hidePattern: '^std::',
  keepPattern: 'x&y=z',
  mergePattern: 'a b+c%',
  focusName: 'draw#1_[k]',
  budgetMs: 8.33,
  memoryBudget: 1048576,
} as const;

const DEFAULTS = {
  view: 'overview',
  selection: null,
  momentRange: null,
  otherRange: null,
  stackMode: 'merged',
  search: '',
  hidePattern: '',
  keepPattern: '',
  mergePattern: '',
  focusName: '',
  budgetMs: 1000 / 60,
  memoryBudget: 0,
} as const;

function shown(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(SIGNALS).map(([name, { value }]) => [name, value]));
}

test('the address determines what the page shows when it opens', () => {
  assert.deepEqual(shown(), { ...DEFAULTS, view: 'frames', budgetMs: 20 });
});

test('everything that is shown is in the address, and is restored from it', () => {
  page.go('');
  assert.deepEqual(shown(), DEFAULTS);
  for (const [name, signal] of Object.entries(SIGNALS)) {
    Object.assign(signal, { value: SHOWN[name as keyof typeof SHOWN] });
  }
  const fragment = page.location.hash;
  assert.equal(
    fragment,
    '#view=stacks&range=1.5-2000&moment=3-4.25&other=same&stacks=sandwich&search=a%7Cb&hide=%5Estd%3A%3A&keep=x%26y%3Dz&merge=a+b%2Bc%25&focus=draw%231_%5Bk%5D&budget=8.33&memory=1048576',
  );
  page.go('');
  assert.deepEqual(shown(), DEFAULTS);
  page.go(fragment);
  assert.deepEqual(shown(), SHOWN);
  page.go('#other=5-9');
  assert.deepEqual(otherRange.value, { from: 5, to: 9 });
  assert.equal(page.location.hash, '#other=5-9');
});

test('with all defaults the address has no fragment', () => {
  page.go('#search=a');
  page.replaced.length = 0;
  search.value = '';
  assert.deepEqual(page.replaced, ['/index.html']);
});

test('ranges in the address are rounded to a microsecond', () => {
  page.go('');
  selection.value = { from: 0.123456, to: 1000 / 3 };
  assert.equal(page.location.hash, '#range=0.123-333.333');
});

test('invalid values in the address are ignored', () => {
  for (const fragment of [
    '#view=settings&stacks=upside-down',
    '#range=5-5&other=9-3',
    '#range=-5-9&other=all',
    '#range=1e3-2e3',
    '#budget=0&memory=-1',
    '#budget=-5&memory=Infinity',
    '#budget=fast&memory=',
    '#token=abc',
  ]) {
    page.go(fragment);
    assert.deepEqual(shown(), DEFAULTS, fragment);
  }
});

test('a frame budget in the address is limited to a minute', () => {
  page.go('#budget=60000');
  assert.equal(budgetMs.value, 60_000);
  page.go('#budget=60001');
  assert.equal(budgetMs.value, 60_000);
});

test('parseRange accepts only two times in order', () => {
  assert.deepEqual(parseRange('0-0.5'), { from: 0, to: 0.5 });
  for (const text of [null, '', '5', '5-', '-5', '5-4', '5-5', 'a-b', '1-2-3', ' 1-2', '1.-2'])
    assert.equal(parseRange(text), null, String(text));
});

test('the fragment of a moment says nothing else about the page', () => {
  page.go('#view=stacks&focus=secret&search=name&range=1-2');
  assert.equal(momentFragment({ from: 1.23456, to: 2 }), '#moment=1.235-2');
  page.go('#budget=8.33&focus=secret');
  assert.equal(momentFragment({ from: 1, to: 2 }), '#moment=1-2&budget=8.33');
});
