// A full disk: writes are rejected and leave no files, reads still work.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { PlatformClient } from '@svc/contracts/platform';
import sharp from 'sharp';
import { expectError, readErrorCode } from './expect-error.ts';
import { makeZip } from './make-zip.ts';
import { type PlatformProcess, startProcess } from './platform-process.ts';
import { publishForm } from './publish-build.ts';
import { openUpload, sendParts } from './publish-parts.ts';
import { signInDeveloper } from './sign-in-developer.ts';

/** Whether this machine can mount a small file system for a single process. */
function canMount(): boolean {
  return spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
}

const skip = canMount() ? false : 'kernel: no user namespaces with mounts';
const SIZE_BYTES = 6 * 1024 * 1024;

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-full-disk-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

type SmallServer = {
  readonly server: PlatformProcess;
  readonly client: PlatformClient;
  readonly idToken: string;
  /** The server's data folder as seen from another process. */
  readonly dataDir: string;
  /** All names in the data folder. */
  names(): string[];
};

/** A server with a data folder on its own disk of a few MiB, and a developer. */
async function startOnSmallDisk(name: string): Promise<SmallServer> {
  const small = join(folder, name);
  mkdirSync(small);
  const script = `mount -t tmpfs -o size=${SIZE_BYTES} tmpfs ${small} && exec "$@"`;
  const wrap = ['unshare', '-rm', 'sh', '-c', script, 'sh'];
  const server = await startProcess(small, { SVC_RATE_LIMIT: 'off' }, wrap);
  assert.ok(!existsSync(join(small, 'platform.sqlite')), 'the disk is the process’s own');
  const { client, idToken } = await signInDeveloper(server, 'Ada');
  const dataDir = `/proc/${server.child.pid}/root${small}`;
  const names = () => readdirSync(dataDir, { recursive: true }).map(String).sort();
  return { server, client, idToken, dataDir, names };
}

test('a full disk is 507 storage_full, leaves no files, and the old release is still served', {
  skip,
}, async () => {
  const { server, client, idToken, names } = await startOnSmallDisk('publish');
  try {
    const { game } = await client.call('createProject', { body: { title: 'Full' } });
    const params = { id: game.id };
    const publish = (version: string, files: Record<string, string | Buffer>) =>
      client.call('publish', { params, form: publishForm(version, makeZip(files)) });
    await publish('1', { 'index.html': 'one' });
    const before = names();
    assert.ok(
      before.some((name) => name.startsWith(`projects/${game.id}/`) && name.endsWith('build.zip')),
    );
    // The archive of the first does not fit. The archive of the second fits, its files do not.
    for (const bytes of [8_000_000, 3_500_000]) {
      const form = publishForm(
        '2',
        makeZip({ 'index.html': 'two', 'noise.bin': randomBytes(bytes) }),
      );
      const answer = await fetch(`${server.baseUrl}/projects/${game.id}/publish`, {
        method: 'POST',
        headers: { authorization: `Bearer ${idToken}` },
        body: form,
      });
      assert.equal(await readErrorCode(answer), 'storage_full', `${bytes} bytes`);
      assert.deepEqual(names(), before, `${bytes} bytes`);
      const play = await fetch(`${server.baseUrl}/play/${game.slug}/`);
      assert.equal(await play.text(), 'one');
    }
    await publish('2', { 'index.html': 'two' });
    const play = await fetch(`${server.baseUrl}/play/${game.slug}/`);
    assert.equal(await play.text(), 'two');
  } finally {
    await server.kill();
  }
});

test('a part or a publish in parts for which there is no disk space is 507 storage_full, and leaves only the parts', {
  skip,
}, async () => {
  const { server, client, names } = await startOnSmallDisk('parts');
  try {
    const { game } = await client.call('createProject', { body: { title: 'Full' } });
    const { id } = game;
    const play = async () => (await fetch(`${server.baseUrl}/play/${game.slug}/`)).text();
    const publish = (version: string, text: string) =>
      client.call('publish', {
        params: { id },
        form: publishForm(version, makeZip({ 'index.html': text })),
      });
    await publish('1', 'one');
    const before = names();
    // The parts of the first do not fit. The parts of the second fit, the files of its release do not fit beside them.
    for (const bytes of [8_000_000, 3_500_000]) {
      const files = { 'index.html': 'two', 'noise.bin': randomBytes(bytes) };
      const upload = await openUpload(client, id, files);
      const params = { id, upload: upload.id };
      const acknowledged: number[] = [];
      const work = sendParts(client, id, upload, files, (part) => acknowledged.push(part)).then(
        () => client.call('publishUpload', { params, body: { version: '2' } }),
      );
      await expectError(work, 'storage_full');
      assert.equal(acknowledged.length === upload.part_count, bytes < 4_000_000);
      const folder = `projects/${id}/${upload.id}`;
      const parts = acknowledged.map((part) => `${folder}/part-${part}`);
      assert.deepEqual(names(), [...before, folder, ...parts].sort(), `${bytes} bytes`);
      assert.deepEqual((await openUpload(client, id, files)).received, acknowledged);
      assert.equal(await play(), 'one');
      await client.open('dropUpload', { params });
      assert.deepEqual(names(), before, `${bytes} bytes`);
    }
    await publish('2', 'two');
    assert.equal(await play(), 'two');
  } finally {
    await server.kill();
  }
});

test('an image for which there is no disk space is 507 storage_full, and the page is unchanged', {
  skip,
}, async () => {
  const { server, client, idToken, dataDir, names } = await startOnSmallDisk('image');
  try {
    const { game } = await client.call('createProject', { body: { title: 'Full' } });
    const params = { id: game.id };
    const noise = { raw: { width: 640, height: 640, channels: 3 } } as const;
    const image = await sharp(randomBytes(640 * 640 * 3), noise)
      .png()
      .toBuffer();
    const form = () => {
      const made = new FormData();
      made.set('metadata', '{"tagline":"New"}');
      made.set('cover', new Blob([new Uint8Array(image)]), 'cover.png');
      return made;
    };
    const filler = join(dataDir, 'filler');
    const before = names();
    // First the upload fits but its variants do not; then even the upload does not fit.
    for (const room of [image.length + 300_000, image.length / 2]) {
      fillTo(filler, room);
      const answer = await fetch(`${server.baseUrl}/projects/${game.id}/store`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${idToken}` },
        body: form(),
      });
      assert.equal(await readErrorCode(answer), 'storage_full', `${room} bytes of room`);
      rmSync(filler);
      const left = names().filter((name) => !/\/media$|^projects(?:\/[^/]+)?$/.test(name));
      assert.deepEqual(
        left,
        before.filter((name) => name !== 'projects'),
      );
      const { page } = await client.call('project', { params });
      assert.deepEqual([page.tagline, page.cover], [null, null]);
    }
    const { page } = await client.call('updateStore', { params, form: form() });
    assert.equal(page.tagline, 'New');
    assert.equal(page.cover?.width, 640);
  } finally {
    await server.kill();
  }
});

/** Fills the small disk except for about this number of bytes. */
function fillTo(filler: string, room: number): void {
  const { bavail, bsize } = statfsSync(dirname(filler));
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - Math.round(room))));
}
