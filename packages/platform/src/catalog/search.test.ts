import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchTerms } from '../database/search-index.ts';
import { scoreName } from './search.ts';

test('searchTerms returns each word of a text once, in lower case, without accents, for any script', () => {
  const cases: [text: string, terms: string[]][] = [
    ['', []],
    [' – !% ', []],
    ['Space GOATS', ['space', 'goats']],
    ['Ünïcorn’s 2nd Élan', ['unicorn', 's', '2nd', 'elan']],
    ['ﬁre ２０', ['fire', '20']],
    ['goat-race goat', ['goat', 'race']],
    ['日本 الأرض', ['日本', 'الارض']],
    ['Ω'.repeat(41), ['ω'.repeat(40)]],
    ['𝒳'.normalize('NFC').concat('𐐀'.repeat(40)), [`x${'𐐨'.repeat(39)}`]],
  ];
  for (const [text, terms] of cases) assert.deepEqual(searchTerms(text), terms, text);
  const many = Array.from({ length: 50 }, (_, index) => `w${index}`);
  assert.deepEqual(searchTerms(many.join(' ')), many.slice(0, 40));
});

test('scoreName ranks equal names above prefixes, and prefixes above words in other places', () => {
  const cases: [name: string, query: string, score: number][] = [
    ['Goats', 'goats', 4 + 1 + 1],
    ['Góats!', 'goats', 4 + 1 + 1],
    ['Goats in Space', 'goats', 3 + 1 + 1 / 3],
    ['Goats in Space', 'goats in', 3 + 1 + 2 / 3],
    ['Goats', 'goa', 3 + 0 + 0],
    ['Space Goats', 'goats', 0 + 1 + 1 / 2],
    ['Space Goats', 'goats space', 0 + 1 + 1],
    ['Space Goats', 'goats fast', 0 + 1 / 2 + 1 / 2],
    ['Goat Race', 'goat ra', 3 + 1 / 2 + 1 / 2],
    ['Moon', 'goats', 0],
    ['!', 'goats', 0],
  ];
  for (const [name, query, score] of cases) {
    assert.equal(scoreName(name, query.split(' ')), score, `${name}: ${query}`);
  }
});
