import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  asSentence,
  avatarImage,
  categoryName,
  engineName,
  formatDay,
  formatMinute,
  minuteOf,
} from './format.ts';
import { countFiles, formatBytes } from './sizes.ts';

test('formatBytes uses binary units, with one decimal below 100', () => {
  const rows: [bytes: number, text: string][] = [
    [0, '0 B'],
    [1, '1 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1536, '1.5 KiB'],
    [100 * 1024 - 1, '100.0 KiB'],
    [100 * 1024, '100 KiB'],
    [1024 ** 2, '1.0 MiB'],
    [512 * 1024 ** 2, '512 MiB'],
    [1024 ** 3, '1.0 GiB'],
    [5000 * 1024 ** 3, '5000 GiB'],
  ];
  for (const [bytes, text] of rows) assert.equal(formatBytes(bytes), text);
});

test('countFiles uses the singular for one file and groups thousands', () => {
  assert.deepEqual([0, 1, 2, 10_000].map(countFiles), [
    '0 files',
    '1 file',
    '2 files',
    '10,000 files',
  ]);
});

test('asSentence adds a full stop only if there is no final punctuation', () => {
  assert.deepEqual(['No', 'No.', 'No!', 'No?', ''].map(asSentence), [
    'No.',
    'No.',
    'No!',
    'No?',
    '.',
  ]);
});

test('formatDay shows the date in UTC, with the full time in the attribute', () => {
  assert.equal(
    formatDay('2026-03-01T23:59:59.000Z').text,
    '<time datetime="2026-03-01T23:59:59.000Z">Mar 1, 2026</time>',
  );
});

test('engines and categories have display names, and an unknown engine shows its id', () => {
  assert.deepEqual(['pico8', 'html5', 'newer'].map(engineName), ['PICO-8', 'HTML5', 'newer']);
  assert.deepEqual(['puzzle', 'nowhere', null].map(categoryName), ['Puzzle', null, null]);
});

test('avatarImage shows the avatar, or the first letter of the name', () => {
  const avatar = 'https://media.example/a.webp?"';
  assert.equal(
    avatarImage({ name: 'Ada', avatar }, 72).text,
    '<img class="face" src="https://media.example/a.webp?&quot;" alt="" width="72" height="72" loading="lazy">',
  );
  const letter = (name: string): string | undefined =>
    />([^<]*)<\/text>/.exec(avatarImage({ name, avatar: null }).text)?.[1];
  assert.deepEqual([' ada', '🌙moon', '<b>', ''].map(letter), ['A', '🌙', '&lt;', '?']);
});

test('formatMinute shows the day and the minute in UTC', () => {
  const rows: [time: string, text: string][] = [
    ['2026-11-26T18:08:59.999Z', 'Nov 26, 2026, 18:08 UTC'],
    ['2026-01-02T00:05:00.000Z', 'Jan 2, 2026, 00:05 UTC'],
    ['2026-03-01T01:00:00.000+02:00', 'Feb 28, 2026, 23:00 UTC'],
  ];
  for (const [time, text] of rows) {
    assert.equal(minuteOf(time), text);
    assert.equal(formatMinute(time).text, `<time datetime="${time}">${text}</time>`);
  }
});
