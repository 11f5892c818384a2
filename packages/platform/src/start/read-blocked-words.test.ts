import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readBlockedWords } from './read-blocked-words.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-words-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function write(content: string | Uint8Array): string {
  const path = join(folder, 'words.txt');
  writeFileSync(path, content);
  return path;
}

test('each line is a word, except comments and empty lines', async () => {
  const words = await readBlockedWords(
    write('\uFEFFone\r\n  two  \n# three\n\n \nfour five\n#six'),
  );
  const texts = ['one', 'TWO', 'three', 'four five', 'four', 'six', '# three'];
  assert.deepEqual(texts.filter(words.isIn), ['one', 'TWO', 'four five']);
});

test('an empty file blocks nothing', async () => {
  const words = await readBlockedWords(write(''));
  assert.equal(words.isIn('anything'), false);
});

test('invalid lines are listed without their words', async () => {
  const lines = ['fine', '…', 'x'.repeat(81), 'zwu\u200Brk', 'zwu\tx', 'x'.repeat(80)];
  const path = write(lines.join('\n'));
  await assert.rejects(readBlockedWords(path), {
    message: `Cannot start with the blocked words in "${path}" (SVC_BLOCKED_WORDS):
  line 2: has no letter or digit
  line 3: longer than 80 characters
  line 4: contains a control or invisible character
  line 5: contains a control or invisible character`,
  });
  await assert.rejects(
    readBlockedWords(write('-\n'.repeat(12))),
    /line 10: [^\n]*\n {2}and 2 more$/,
  );
});

test('a file that is no list is rejected', async () => {
  const rows: readonly (readonly [content: string | Uint8Array, message: RegExp])[] = [
    [new Uint8Array([0x61, 0xff]), /it is not UTF-8$/],
    ['x'.repeat(256 * 1024 + 1), /it is larger than 256 KiB$/],
    ['word\n'.repeat(2001), /it has more than 2000 words$/],
  ];
  for (const [content, message] of rows) {
    await assert.rejects(readBlockedWords(write(content)), message);
  }
  await assert.rejects(readBlockedWords(join(folder, 'none')), /it cannot be read \(ENOENT\)$/);
  await assert.rejects(readBlockedWords(folder), /it cannot be read \(EISDIR\)$/);
  await readBlockedWords(write('word\n'.repeat(2000)));
});
