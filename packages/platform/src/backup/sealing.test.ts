// Encryption with age: what this program encrypts, Debian's `age` decrypts, and the other way round.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { createSeal, createUnseal, type Unseal } from './sealing.ts';

/** Several chunks of age's 64 KiB, and one that is not full. */
const BYTES = randomBytes(200_000);
const skip = existsSync('/usr/bin/age') ? false : 'age is not installed';

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-seal-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

async function newKey() {
  const identity = await generateIdentity();
  return { identity, recipient: await identityToRecipient(identity) };
}

async function decrypt(unseal: Unseal, path: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(unseal(createReadStream(path))));
}

test('each recipient can decrypt a file, and nobody else', async (t) => {
  const folder = await newFolder(t);
  const [one, two, other] = [await newKey(), await newKey(), await newKey()];
  const seal = createSeal([one.recipient, two.recipient, one.recipient]);
  const sealed = join(folder, 'sealed');
  await writeFile(join(folder, 'plain'), BYTES);
  await seal?.encrypt(join(folder, 'plain'), sealed);
  assert.ok(!(await readFile(sealed)).includes(BYTES.subarray(0, 64)));
  for (const { identity } of [one, two]) {
    const unseal = createUnseal([other.identity, identity]);
    assert.deepEqual(await decrypt(unseal, sealed), BYTES);
  }
  await assert.rejects(decrypt(createUnseal([other.identity]), sealed), {
    name: 'Error',
    message: /it was made for other recipients/,
  });
});

test('a changed byte, and a file that is cut short, are damage', async (t) => {
  const folder = await newFolder(t);
  const { identity, recipient } = await newKey();
  await writeFile(join(folder, 'plain'), BYTES);
  await createSeal([recipient])?.encrypt(join(folder, 'plain'), join(folder, 'sealed'));
  const sealed = await readFile(join(folder, 'sealed'));
  const unseal = createUnseal([identity]);
  const changed = Buffer.from(sealed);
  changed[150_000] = (changed[150_000] ?? 0) ^ 1;
  const damaged = [changed, sealed.subarray(0, -1), sealed.subarray(0, 66_000), Buffer.alloc(0)];
  for (const bytes of damaged) {
    await writeFile(join(folder, 'damaged'), bytes);
    await assert.rejects(decrypt(unseal, join(folder, 'damaged')), { name: 'BackupFault' });
  }
});

test('an error of the source is not damage', async () => {
  const { identity } = await newKey();
  const unseal = createUnseal([identity]);
  const broken = async function* read(): AsyncGenerator<Buffer> {
    yield Buffer.from('age-encryption.org/v1\n');
    throw new Error('The disk has failed');
  };
  await assert.rejects(Array.fromAsync(unseal(broken())), { message: 'The disk has failed' });
});

test('the name of a seal depends on the recipients, and not on their order', async () => {
  const [one, two] = [(await newKey()).recipient, (await newKey()).recipient];
  assert.equal(createSeal([one, two])?.name, createSeal([two, one])?.name);
  assert.notEqual(createSeal([one])?.name, createSeal([one, two])?.name);
  assert.equal(createSeal([]), null);
});

test('invalid keys are rejected, and secrets are not repeated', () => {
  assert.throws(() => createSeal(['age1nothing']), /"age1nothing" is not a recipient of age/);
  assert.throws(() => createSeal(['ssh-ed25519 AAAA']), /is not a recipient of age/);
  for (const create of [createSeal, createUnseal]) {
    assert.throws(
      () => create(['AGE-SECRET-KEY-1WRONG']),
      (error) => error instanceof Error && !error.message.includes('WRONG'),
    );
  }
});

test('age decrypts what this program encrypts, and the other way round', { skip }, async (t) => {
  const folder = await newFolder(t);
  const { identity, recipient } = await newKey();
  await writeFile(join(folder, 'key'), `${identity}\n`);
  await writeFile(join(folder, 'plain'), BYTES);
  await createSeal([recipient])?.encrypt(join(folder, 'plain'), join(folder, 'sealed'));
  const age = (...args: string[]) => spawnSync('age', args, { cwd: folder, encoding: 'buffer' });
  const decrypted = age('--decrypt', '-i', 'key', 'sealed');
  assert.deepEqual([decrypted.status, decrypted.stdout.equals(BYTES)], [0, true]);
  assert.equal(age('-r', recipient, '-o', 'other', 'plain').status, 0);
  assert.deepEqual(await decrypt(createUnseal([identity]), join(folder, 'other')), BYTES);
});
