// The catalog with a thousand, a hundred thousand and a million games: the time of the same requests, as ratios to the smallest.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startPlatform } from '@svc/platform';
import { median } from './platform/measure.ts';

const SIZES = [1_000, 100_000, 1_000_000];
const ASKED = 300;
const WORDS = Array.from({ length: 2000 }, (_, index) => `word${index.toString(36)}`);

async function main(): Promise<void> {
  const first = new Map<string, number>();
  for (const size of SIZES) {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-catalog-'));
    try {
      const empty = await startPlatform({ dev: true, port: 0, dataDir });
      await empty.close();
      fill(join(dataDir, 'platform.sqlite'), size);
      await using platform = await startPlatform({
        dev: true,
        port: 0,
        dataDir,
        limits: { rate_searches_per_minute: 1e9 },
      });
      for (const [name, path] of Object.entries(await questions(platform.baseUrl, size))) {
        const ms = await timeQuestion(platform.baseUrl, path);
        if (!first.has(name)) first.set(name, ms.middle);
        const ratio = ms.middle / (first.get(name) ?? Number.NaN);
        console.log(
          `${size} games: ${name}: ${ms.middle.toFixed(2)} ms (p99 ${ms.slow.toFixed(2)} ms), ${ratio.toFixed(2)} times that of a thousand games`,
        );
      }
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }
}

/** Words with few common and many rare ones, which is the difficult case for search. */
function word(): string {
  return WORDS[Math.floor(WORDS.length ** Math.random()) - 1] ?? 'word0';
}

function fill(path: string, size: number): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA foreign_keys = OFF;');
  const indexes = db
    .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
    .all();
  for (const { name } of indexes) db.exec(`drop index "${name}"`);
  db.exec('begin');
  const user = db.prepare(
    "insert into users values (?, 'bench', ?, null, ?, null, 0, 0, 'developer', 1)",
  );
  const developers = Math.max(1, size / 100);
  for (let index = 0; index < developers; index++)
    user.run(id(index), `${index}`, `Dev ${word()} ${index}`);
  const game = db.prepare(
    "insert into games values (?, ?, ?, ?, 'html5', 'A tagline', 'A description', ?, ?, null, null, 'published', null, null, null, null, '[]', ?, ?, ?)",
  );
  const tag = db.prepare('insert into game_tags values (?, ?, ?, ?)');
  const term = db.prepare(
    "insert or ignore into search_terms (kind, term, subject_id, at) values ('game', ?, ?, ?)",
  );
  for (let index = 0; index < size; index++) {
    const words = [word(), word(), word()];
    const at = 1_700_000_000_000 + index * 1000;
    const category = index % 3 === 0 ? 'puzzle' : 'action';
    game.run(
      id(index),
      id(index % developers),
      words.join(' '),
      `game-${index}`,
      category,
      '["tagged"]',
      at,
      at,
      at,
    );
    tag.run(id(index), index % 2 === 0 ? 'tagged' : word(), category, at);
    for (const one of words) term.run(one, id(index), at);
  }
  db.exec('commit');
  for (const { sql } of indexes) db.exec(String(sql));
  db.close();
}

function id(index: number): string {
  return `01900000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`;
}

async function questions(baseUrl: string, size: number): Promise<Record<string, () => string>> {
  let cursor = '';
  for (let page = 0; page < 5; page++) {
    const answer = await fetch(
      `${baseUrl}/home?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    cursor = ((await answer.json()) as { next_cursor: string }).next_cursor;
  }
  const random = () => Math.floor(Math.random() * size);
  const deep = () =>
    Buffer.from(`${1_700_000_000_000 + random() * 1000} ${id(random())}`).toString('base64url');
  return {
    'home, first page': () => '/home',
    'home, anywhere': () => `/home?cursor=${deep()}`,
    'home, a category': () => `/home?category=puzzle&cursor=${deep()}`,
    'home, a tag': () => `/home?tag=tagged&cursor=${deep()}`,
    'one game': () => `/games/game-${random()}`,
    'search, a common word': () => '/search?q=word0',
    'search, a word': () => `/search?q=${word()}`,
    'search, two words': () => `/search?q=${word()}+${word()}`,
  };
}

async function timeQuestion(
  baseUrl: string,
  path: () => string,
): Promise<{ middle: number; slow: number }> {
  const times: number[] = [];
  for (let asked = 0; asked < ASKED; asked++) {
    const start = performance.now();
    const answer = await fetch(`${baseUrl}${path()}`);
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    await answer.arrayBuffer();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { middle: median(times), slow: times[Math.floor(ASKED * 0.99)] ?? Number.NaN };
}

await main();
