// Limits of builds, through the HTTP API.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { expectError } from './expect-error.ts';
import { makeZip } from './make-zip.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

test('limits of the build are enforced: archive, expansion, one file, entries', async () => {
  await using small = await openPlatform({
    limits: {
      build_zip_bytes: 20_000,
      build_expanded_bytes: 100_000,
      build_file_bytes: 60_000,
      build_files: 5,
      releases_per_project: 2,
    },
  });
  const joe = await small.person('Joe');
  const { game } = await joe.client.call('createProject', { body: { title: 'Small' } });
  const publish = (version: string, files: Record<string, string | Buffer> | Buffer) =>
    publishBuild(joe.client, game.id, version, files);
  const random = Buffer.from(Array.from({ length: 30_000 }, (_, i) => (i * 7919) ^ (i >> 3)));
  await expectError(publish('1', Buffer.concat([random])), 'payload_too_large');
  const zeros = Buffer.alloc(60_001);
  await expectError(publish('1', { 'index.html': 'x', 'a.bin': zeros }), 'zip_file_too_large');
  const half = Buffer.alloc(50_000);
  const three = { 'index.html': 'x', 'a.bin': half, 'b.bin': half };
  await expectError(publish('1', three), 'zip_expansion_limit');
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}.txt`, 'x']));
  await expectError(publish('1', { 'index.html': 'x', ...many }), 'zip_too_many_entries');
  await publish('1', { 'index.html': 'x' });
  await publish('2', { 'index.html': 'x' });
  await expectError(publish('3', { 'index.html': 'x' }), 'quota_exceeded');
  const { limits } = await joe.client.call('limits', {});
  assert.equal(limits['build_files'], 5);
});

test('an archive is accepted up to the limits of its size, paths and depth, and not beyond', async () => {
  const deepest = { 'index.html': 'x', 'a/b/c.txt': 'x' };
  const longest = { 'index.html': 'x', 'aa/bb-123456.txt': 'x' };
  const zip = makeZip({ 'index.html': 'x', 'noise.bin': randomBytes(30_000) });
  await using small = await openPlatform({
    limits: { build_zip_bytes: zip.length, build_path_bytes: 16, build_path_levels: 3 },
  });
  const joe = await small.person('Joe');
  const { game } = await joe.client.call('createProject', { body: { title: 'Exact' } });
  const publish = (version: string, build: Buffer | Record<string, string>) =>
    publishBuild(joe.client, game.id, version, build);
  await publish('1', zip);
  const larger = makeZip({ 'index.html': 'x', 'noise.bin': randomBytes(30_001) });
  assert.equal(larger.length, zip.length + 1);
  const { details } = await expectError(publish('2', larger), 'payload_too_large');
  assert.equal(details[0]?.path, 'build');
  await publish('2', deepest);
  await publish('3', longest);
  const beyond: [rule: string, Record<string, string>][] = [
    ['path_levels', { 'index.html': 'x', 'a/b/c/d.txt': 'x' }],
    ['path_bytes', { 'index.html': 'x', 'aa/bb-1234567.txt': 'x' }],
  ];
  for (const [rule, build] of beyond) {
    const error = await expectError(publish('4', build), 'zip_path_invalid');
    assert.deepEqual(
      error.details.map((detail) => detail.rule),
      [rule],
    );
  }
});
