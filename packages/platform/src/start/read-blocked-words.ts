// Reads the operator's file of blocked words.
import { createReadStream } from 'node:fs';
import { codeOf } from '@svc/contracts/caught';
import { type BlockedWords, createBlockedWords, isWord } from '../blocked-words.ts';

const FILE_BYTES = 256 * 1024;
const WORDS = 2000;
const WORD_CHARACTERS = 80;
const LISTED_FAULTS = 10;

/**
 * Reads one word from each line. Empty lines, and lines that begin with `#`, are ignored. Throws an error for the operator if the file cannot
 * be read, is too large or has invalid lines. It names the lines, and not the words.
 */
export async function readBlockedWords(path: string): Promise<BlockedWords> {
  const words: string[] = [];
  const faults: string[] = [];
  for (const [index, line] of splitLines(decode(path, await readStart(path))).entries()) {
    const word = line.trim();
    if (word === '' || word.startsWith('#')) continue;
    const fault = findFault(word);
    if (fault === null) words.push(word);
    else faults.push(`line ${index + 1}: ${fault}`);
  }
  if (faults.length > 0) throw unusable(path, faults);
  if (words.length > WORDS) throw unusable(path, [`it has more than ${WORDS} words`]);
  return createBlockedWords(words);
}

function findFault(word: string): string | null {
  if ([...word].length > WORD_CHARACTERS) return `longer than ${WORD_CHARACTERS} characters`;
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word)) return 'contains a control or invisible character';
  return isWord(word) ? null : 'has no letter or digit';
}

function splitLines(text: string): string[] {
  return text.replace(/^\uFEFF/, '').split(/\r?\n/);
}

/** Reads at most one byte more than a file may have. */
async function readStart(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path, { end: FILE_BYTES })) chunks.push(chunk);
  } catch (error) {
    throw unusable(path, [`it cannot be read (${codeOf(error) ?? 'unknown'})`]);
  }
  return Buffer.concat(chunks);
}

function decode(path: string, bytes: Buffer): string {
  if (bytes.length > FILE_BYTES) {
    throw unusable(path, [`it is larger than ${FILE_BYTES / 1024} KiB`]);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unusable(path, ['it is not UTF-8']);
  }
}

function unusable(path: string, faults: readonly string[]): Error {
  const more = faults.length - LISTED_FAULTS;
  const shown = faults.slice(0, LISTED_FAULTS).map((fault) => `  ${fault}`);
  if (more > 0) shown.push(`  and ${more} more`);
  return new Error(
    `Cannot start with the blocked words in "${path}" (SVC_BLOCKED_WORDS):\n${shown.join('\n')}`,
  );
}
