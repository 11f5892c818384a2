// The elements of large JSON arrays, in chunks of any size, compared with JSON.parse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type JsonEnd, JsonSplitter } from './split-json.ts';

type Seen = { readonly elements: [string, unknown][]; readonly values: Record<string, unknown> };

function split(
  text: string,
  { sizes = [text.length + 1], limit = 1e6 } = {},
): Seen & { end: JsonEnd; skipped: number } {
  const seen: Seen = { elements: [], values: {} };
  let skipped = 0;
  const decoder = new TextDecoder();
  const splitter = new JsonSplitter(
    {
      isList: (key) => key === 'list' || key === '',
      element: (key, bytes) => seen.elements.push([key, JSON.parse(decoder.decode(bytes))]),
      value: (key, bytes) => {
        seen.values[key] = JSON.parse(decoder.decode(bytes));
      },
      skipped: () => skipped++,
    },
    limit,
  );
  const bytes = new TextEncoder().encode(text);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    splitter.push(bytes.subarray(at, at + size));
    at += size;
  }
  return { ...seen, end: splitter.finish(), skipped };
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const space = fc.constantFrom(undefined, 0, 1, '\t');

test('every element of an array and every value is passed on, in chunks of any size', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue({ maxDepth: 4 })),
      fc.jsonValue(),
      sizes,
      space,
      (list, other, chunks, indent) => {
        const ofArray = split(JSON.stringify(list, null, indent), { sizes: chunks });
        assert.deepEqual(
          ofArray.elements,
          JSON.parse(JSON.stringify(list)).map((one: unknown) => ['', one]),
        );
        const document = { before: other, list, after: [other] };
        const ofObject = split(JSON.stringify(document, null, indent), { sizes: chunks });
        assert.deepEqual(
          ofObject.elements.map(([, one]) => one),
          ofArray.elements.map(([, one]) => one),
        );
        const plain = JSON.parse(JSON.stringify(document));
        assert.deepEqual(ofObject.values, { before: plain.before, after: plain.after });
        assert.deepEqual([ofArray.end, ofObject.end], ['complete', 'complete']);
      },
    ),
  );
});

test('a file that ends in the middle is torn, and has the elements before', () => {
  const text = '{"list":[{"a":"]}\\"{"},[1,[2]],-3.5,"x"],"end":{"b":1}}';
  const whole = split(text);
  assert.deepEqual(
    whole.elements.map(([, one]) => one),
    [{ a: ']}"{' }, [1, [2]], -3.5, 'x'],
  );
  for (let length = 0; length < text.length; length++) {
    const { elements, end } = split(text.slice(0, length), { sizes: [3] });
    assert.equal(end, 'torn', text.slice(0, length));
    assert.deepEqual(elements, whole.elements.slice(0, elements.length));
  }
  assert.equal(split('[1,2').elements.length, 1);
  assert.equal(split('[{"a":1},\n').elements.length, 1);
});

test('a mark at the start and white space around are accepted; other text after the end is reported', () => {
  assert.deepEqual(split('\uFEFF [1] \r\n'), {
    elements: [['', 1]],
    values: {},
    end: 'complete',
    skipped: 0,
  });
  assert.equal(split('[1] x').end, 'followed');
  assert.equal(split('hello').end, 'torn');
});

test('a file that begins neither as an object nor as a list of the receiver has no elements', () => {
  for (const size of [1, 100]) {
    assert.deepEqual(split('7 1,2]', { sizes: [size] }), {
      elements: [],
      values: {},
      end: 'torn',
      skipped: 0,
    });
  }
  const seen: string[] = [];
  const splitter = new JsonSplitter(
    {
      isList: (key) => key === 'list',
      element: () => seen.push('element'),
      value: () => seen.push('value'),
      skipped: () => seen.push('skipped'),
    },
    100,
  );
  splitter.push(new TextEncoder().encode('[1,2]'));
  assert.deepEqual([seen, splitter.hasStarted, splitter.finish()], [[], false, 'torn']);
});

test('an element that is too long or nested too deep is skipped, and the next one is read', () => {
  const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
  const text = `[1,"${'x'.repeat(400)}",${deep},${'['.repeat(64)}${']'.repeat(64)},2]`;
  for (const size of [1, 7, 1000]) {
    const { elements, skipped, end } = split(text, { sizes: [size], limit: 300 });
    assert.deepEqual([elements.length, elements[0], elements.at(-1)], [3, ['', 1], ['', 2]]);
    assert.deepEqual([skipped, end], [2, 'complete']);
  }
});

test('a key that is too long is passed on as an empty one, and the next key is read', () => {
  const text = `{"${'k'.repeat(400)}":1,"after":2}`;
  for (const size of [1, 7, 1000]) {
    const { values, end } = split(text, { sizes: [size], limit: 300 });
    assert.deepEqual([values, end], [{ '': 1, after: 2 }, 'complete']);
  }
});

test('any bytes are read to their end', () => {
  const visitor = { isList: () => true, element() {}, value() {}, skipped() {} };
  const soup = fc.array(
    fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', 'a', ' ', '\0', 'é', '"list":['),
  );
  fc.assert(
    fc.property(soup, sizes, (parts, [size = 1]) => {
      const bytes = new TextEncoder().encode(parts.join(''));
      const splitter = new JsonSplitter(visitor, 100);
      for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
      assert.match(splitter.finish(), /complete|torn|followed/);
    }),
    { numRuns: 1000 },
  );
});
