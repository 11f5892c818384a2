// The tests of the other files once more, on PostgreSQL: the same code, the same promises.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openPlatform } from './open-platform.ts';
import { type Postgres, postgresMissing, startPostgres } from './start-postgres.ts';

const missing = postgresMissing();
const skip = missing ?? false;
let postgres: Postgres;
before(() => {
  if (missing === null) postgres = startPostgres();
});
after(() => {
  if (missing === null) postgres[Symbol.dispose]();
});

async function runTests(file: string): Promise<void> {
  const path = join(import.meta.dirname, `${file}.test.ts`);
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const child = spawn(
    process.execPath,
    ['--test', '--test-concurrency=1', '--test-reporter=tap', path],
    {
      env: { ...environment, SVC_TEST_POSTGRES: postgres.url },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  const output = Buffer.concat(chunks).toString();
  const passed = Number(/^# pass (\d+)$/m.exec(output)?.[1] ?? 0);
  assert.equal(
    code,
    0,
    output
      .split('\n')
      .filter((line) => /not ok|error|code:|expected|actual/.test(line))
      .join('\n'),
  );
  assert.ok(passed > 0, `${passed} tests passed`);
}

const FILES = [
  'identity',
  'tokens',
  'projects',
  'publishing',
  'store',
  'media-access',
  'avatar',
  'play',
  'catalog',
  'audit',
  'quotas',
  'grace',
  'claims',
  'withdrawn',
  'taken-away',
];
for (const file of FILES) test(`${file} on PostgreSQL`, { skip }, () => runTests(file));

test('two servers on one database: a token revoked at one is refused by the other at once', {
  skip,
}, async () => {
  process.env['SVC_TEST_POSTGRES'] = postgres.url;
  await using one = await openPlatform();
  delete process.env['SVC_TEST_POSTGRES'];
  await using two = await openPlatform({ settings: one.settings });
  const ada = await one.person('Ada');
  const { secret, token } = await ada.client.call('createToken', { body: { name: 'both' } });
  const there = two.clientWith(secret);
  assert.equal((await there.call('me', {})).user.uid, ada.uid);
  await ada.client.call('revokeToken', { params: { id: token.id } });
  await assert.rejects(there.call('me', {}), { code: 'token_revoked' });
});
