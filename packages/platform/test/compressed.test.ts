// Which files have compressed forms: large enough text that compresses well.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

let platform: OpenPlatform;
let ada: Person;
before(async () => {
  platform = await openPlatform();
  ada = await platform.person('Ada');
});
after(() => platform[Symbol.asyncDispose]());

/** Random bytes of `choices` different values. Each needs at least log2(choices) bits. */
function noise(bytes: number, choices: number): Buffer {
  return Buffer.from(randomBytes(bytes).map((byte) => 32 + (byte % choices)));
}

/** Larger than one chunk. */
const LARGE = 2 * 1024 * 1024 + 1;
const BOTH = ['br', 'gzip'];

test('text of at least 512 bytes has both compressed forms if they save a tenth, in memory and from disk; other files have none', async () => {
  const cases: [path: string, content: Buffer, codings: string[]][] = [
    ['short.txt', Buffer.alloc(511, 'a'), []],
    ['enough.txt', Buffer.alloc(512, 'a'), BOTH],
    ['picture.png', Buffer.alloc(5000, 'a'), []],
    // 7 of 8 bits save an eighth; 7.6 of 8 bits save less than a tenth.
    ['worth.txt', noise(60_000, 128), BOTH],
    ['hardly.txt', noise(60_000, 200), []],
    ['large.txt', Buffer.alloc(LARGE, 'large '), BOTH],
    ['large-hardly.txt', noise(LARGE, 200), []],
  ];
  const { game } = await ada.client.call('createProject', { body: { title: 'Forms' } });
  const files = Object.fromEntries(cases.map(([path, content]) => [path, content]));
  await publishBuild(ada.client, game.id, '1', { 'index.html': 'x', ...files });
  for (const [path, content, codings] of cases) {
    const reported: string[] = [];
    for (const coding of BOTH) {
      const headers = { 'accept-encoding': coding };
      const answer = await fetch(`${platform.baseUrl}/play/${game.slug}/${path}`, { headers });
      reported.push(answer.headers.get('content-encoding') ?? '');
      assert.ok(content.equals(Buffer.from(await answer.arrayBuffer())), `${path} ${coding}`);
    }
    assert.deepEqual(
      reported.filter((coding) => coding !== ''),
      codings,
      path,
    );
  }
});
