import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBlockedWords, isWord, NO_BLOCKED_WORDS } from './blocked-words.ts';

const WORDS = ['shit', 'ass', 'cunt', '1488', 'blood moon', 'дурак', 'Hölle', '畜生'];
const words = createBlockedWords(WORDS);

function check(texts: readonly string[], isIn: boolean): void {
  const wrong = texts.filter((text) => words.isIn(text) !== isIn);
  assert.deepEqual(wrong, []);
}

test('a word is found as a whole word, in any case', () => {
  check(
    ['shit', 'Shit', 'My SHIT game', 'my-shit-game', 'shit_happens', '"Shit!"', '(shit)'],
    true,
  );
  check(
    ['What a shit.', 'shit2', '2shit', 'ass', 'Ass', '畜生', 'この畜生め', 'Hölle', 'hoelle holle'],
    true,
  );
});

test('words that only contain it pass', () => {
  check(['Scunthorpe', 'Classic', 'classic-assassin', 'Bass', 'shitake', 'Passage'], false);
  check(['as', 'As if', 'a s', 'Shi', 'hit', 'Blood', 'moon', 'Moon blood', '生'], false);
});

test('look-alikes of letters count as the letter', () => {
  check(
    ['sh1t', '$hit', 'sh!t', '$h1t!', '5hi7', 'a55', '@ss', 'ѕһіt', 'ｓｈｉｔ', '𝓼𝓱𝓲𝓽', 'shít'],
    true,
  );
  check(['Дурак', 'ДУРАК', 'дурак 2'], true);
});

test('accents, signs around letters and invisible characters do not hide a word', () => {
  check(['sh\u00adit', 'sh\u200bit', 'sh1\ufe0ft', 'shi\u20e3t', 'sh\u0489it', 'shıt'], true);
});

test('letters that are written in two ways are the same, and similar ones are not', () => {
  const german = createBlockedWords(['Scheiße', 'かき']);
  for (const text of ['Scheisse', 'SCHEIẞE', 'かき']) assert.equal(german.isIn(text), true, text);
  for (const text of ['Scheibe', 'かぎ', 'がき']) assert.equal(german.isIn(text), false, text);
});

test('a long list of long words is searched quickly', () => {
  const many = createBlockedWords(
    Array.from({ length: 2000 }, (_, number) => `${'abcdefghij'.repeat(7)}${number}`),
  );
  const start = process.cpuUsage();
  assert.equal(many.isIn('A game with an ordinary name'), false);
  assert.equal(many.isIn(`${'abcdefghij'.repeat(7)}77`), true);
  const { user, system } = process.cpuUsage(start);
  // One expression for each word took about three seconds of processor time.
  assert.ok(user + system < 1_500_000, `${user + system} µs`);
});

test('repeated letters count as one, but a double letter is no single one', () => {
  check(['shiiiit', 'ssshhhiiittt', 'sshit', 'asss', 'asssss', 'aass'], true);
  check(['as', 'aas'], false);
});

test('single letters with anything between them are read as a word', () => {
  check(['s h i t', 's-h-i-t', 's.h.i.t', 'play s_h_i_t now', 's h 1 t'], true);
  check(['a s', 'A. S. Player', 'x y z'], false);
});

test('digits spell no word, unless the word has digits', () => {
  check(['Level 455', '4 55', '2024', '14880', '1488x'], false);
  check(['1488', 'Game 1488', 'game-1488'], true);
});

test('a phrase is found with any separator', () => {
  check(['Blood Moon', 'blood-moon', 'The blood_moon 2', 'blood  moon'], true);
});

test('a word without a letter or digit is ignored, and does not block every text', () => {
  const none = createBlockedWords(['-', '…', 'ǃ', '! !', '〳']);
  for (const text of ['x', 'My game', '', '7', 'a-b']) assert.equal(none.isIn(text), false, text);
});

test('without words, nothing is found', () => {
  assert.equal(NO_BLOCKED_WORDS.isIn('shit'), false);
  assert.equal(NO_BLOCKED_WORDS.isIn(''), false);
});

test('isWord rejects what would be in every text', () => {
  assert.deepEqual(['a', '1', '畜', '-', '!', '', ' ', '…'].map(isWord), [
    ...[true, true, true],
    ...[false, false, false, false, false],
  ]);
});
