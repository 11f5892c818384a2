// Limits of store pages, to the byte and pixel, and the sizes of stored images.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { CallAnswer, PlatformErrorCode } from '@svc/contracts/platform';
import sharp from 'sharp';
import { expectError } from './expect-error.ts';
import { makeMp4 } from './make-trailer.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';

const SIDE = 2100;
const TRAILER = makeMp4(1000);
const METADATA_BYTES = 5000;

let platform: OpenPlatform;
let ada: Person;
let image: Buffer;
before(async () => {
  image = await picture(20, 10);
  platform = await openPlatform({
    limits: {
      image_bytes: 20_000,
      image_side_pixels: SIDE,
      trailer_bytes: TRAILER.length,
      screenshots: 2,
      json_body_bytes: METADATA_BYTES,
    },
  });
  ada = await platform.person('Ada');
});
after(() => platform[Symbol.asyncDispose]());

function picture(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#3366cc' } })
    .png()
    .toBuffer();
}

type Part = [name: string, bytes: Uint8Array];

function update(
  id: string,
  metadata: unknown,
  ...parts: Part[]
): Promise<CallAnswer<'updateStore'>> {
  const form = new FormData();
  form.set('metadata', typeof metadata === 'string' ? metadata : JSON.stringify(metadata));
  for (const [name, bytes] of parts) {
    form.append(name, new Blob([new Uint8Array(bytes)]), 'file.bin');
  }
  return ada.client.call('updateStore', { params: { id }, form });
}

async function newGame(): Promise<string> {
  return (await ada.client.call('createProject', { body: { title: 'Limits' } })).game.id;
}

async function mediaOnDisk(id: string): Promise<string[]> {
  return readdir(join(platform.dataDir, 'projects', id, 'media')).catch(() => []);
}

test('each part is accepted up to its limit; one byte, pixel or screenshot more is rejected with its name', async () => {
  const id = await newGame();
  const filled = (length: number): Buffer => Buffer.concat([image], length);
  const trailer = Buffer.concat([TRAILER, Buffer.from('\0\0\0\x08free')]);
  const shots = (count: number): Part[] =>
    Array.from({ length: count }, () => ['screenshots', image]);
  const metadata = (bytes: number) => JSON.stringify({ tagline: 'x' }).padEnd(bytes);
  const taken: [what: string, metadata: unknown, ...parts: Part[]][] = [
    ['an image of 20,000 bytes', {}, ['cover', filled(20_000)]],
    ['an image as wide as may be', {}, ['cover', await picture(SIDE, 2)]],
    ['an image as high as may be', {}, ['banner', await picture(2, SIDE)]],
    ['a trailer', {}, ['trailer', TRAILER]],
    ['two screenshots', {}, ...shots(2)],
    ['metadata', metadata(METADATA_BYTES)],
  ];
  for (const [what, ...sent] of taken) {
    await update(id, ...sent).catch((error: unknown) => {
      throw new Error(what, { cause: error });
    });
  }
  const before = await ada.client.call('project', { params: { id } });
  const files = await mediaOnDisk(id);
  type Refusal = [code: PlatformErrorCode, path: string, message: RegExp, metadata: unknown];
  const refused: [...Refusal, ...parts: Part[]][] = [
    ['image_too_large', 'cover', /at most 20,000 bytes/, {}, ['cover', filled(20_001)]],
    [
      'image_too_large',
      'cover',
      /^The cover has 2101 × 2 pixels\. .*2100/,
      {},
      ['cover', await picture(SIDE + 1, 2)],
    ],
    [
      'image_too_large',
      'screenshots/1',
      /^Screenshot 2 has 2 × 2101 pixels/,
      { screenshots: ['new:0', 'new:1'] },
      ['screenshots', image],
      ['screenshots', await picture(2, SIDE + 1)],
    ],
    ['payload_too_large', 'trailer', /at most/, {}, ['trailer', trailer]],
    ['invalid_input', 'screenshots', /Allowed: 2 times/, {}, ...shots(3)],
    ['invalid_input', 'metadata/screenshots', /has 3 screenshots/, {}, ...shots(1)],
    ['payload_too_large', 'metadata', /at most 5,000 bytes/, metadata(METADATA_BYTES + 1)],
    ['invalid_input', 'cover', /Allowed: once/, {}, ['cover', image], ['cover', image]],
    ['invalid_input', 'trailer', /once/, {}, ['trailer', TRAILER], ['trailer', TRAILER]],
    ['invalid_input', 'icon', /unknown/, {}, ['icon', image]],
    ...(['banner', 'cover'] as const).map((name): [...Refusal, ...parts: Part[]] => [
      'invalid_input',
      `metadata/${name}`,
      /removed and sent at once/,
      { [name]: null },
      [name, image],
    ]),
    [
      'invalid_input',
      'metadata/trailer',
      /removed and sent at once/,
      { trailer: null },
      ['trailer', TRAILER],
    ],
  ];
  for (const [code, path, message, metadata, ...parts] of refused) {
    const error = await expectError(update(id, metadata, ...parts), code);
    assert.equal(error.details[0]?.path, path, error.message);
    assert.match(error.message, message);
  }
  assert.deepEqual(await ada.client.call('project', { params: { id } }), before);
  assert.deepEqual(await mediaOnDisk(id), files);
});

test('screenshots without a list are appended; null keeps only the new ones', async () => {
  const id = await newGame();
  const shot: Part = ['screenshots', image];
  const ids = ({ page }: CallAnswer<'updateStore'>) => page.screenshots.map((one) => one.id);
  const [first = ''] = ids(await update(id, {}, shot));
  const [before, added = ''] = ids(await update(id, {}, shot));
  assert.equal(before, first);
  assert.notEqual(added, first);
  assert.deepEqual(ids(await update(id, { tagline: 'x' })), [first, added]);
  const [only = '', ...more] = ids(await update(id, { screenshots: null }, shot));
  assert.deepEqual(more, []);
  assert.ok(![first, added].includes(only));
});

test('an image has variants up to its own width, 1920 pixels at most, each in WebP and AVIF', async () => {
  const id = await newGame();
  const cases: [width: number, height: number, widths: number[]][] = [
    [1, 1, [1]],
    [480, 4, [480]],
    [481, 4, [480, 481]],
    [960, 4, [480, 960]],
    [1920, 4, [480, 960, 1920]],
    [2100, 4, [480, 960, 1920]],
  ];
  for (const [width, height, widths] of cases) {
    const { page } = await update(id, {}, ['cover', await picture(width, height)]);
    const { cover } = page;
    assert.deepEqual([cover?.width, cover?.height], [width, height]);
    for (const type of ['image/webp', 'image/avif']) {
      const made = cover?.variants.filter((one) => one.type === type).map((one) => one.width);
      assert.deepEqual(made, widths, `${type} of ${width}`);
    }
  }
});

test('the variants of a rotated photo are upright, and at most as wide as the upright photo', async () => {
  const id = await newGame();
  const photo = await sharp({ create: { width: 500, height: 40, channels: 3, background: 'red' } })
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const { page } = await update(id, {}, ['banner', photo]);
  const { banner } = page;
  assert.deepEqual([banner?.width, banner?.height], [40, 500]);
  assert.deepEqual(
    banner?.variants.map(({ width, height }) => [width, height]),
    [
      [40, 500],
      [40, 500],
    ],
  );
});

test('a truncated JPEG is rejected as a damaged image', async () => {
  const id = await newGame();
  const whole = await sharp({ create: { width: 400, height: 400, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
  const cut = whole.subarray(0, Math.floor(whole.length / 2));
  const error = await expectError(update(id, {}, ['cover', cut]), 'image_invalid');
  assert.match(error.message, /^The cover is damaged or incomplete/);
});

test('a request for media is checked for its row, method and range', async () => {
  const id = await newGame();
  const { page } = await update(id, {}, ['cover', image]);
  const address = page.cover?.url ?? '';
  const whole = await fetch(address);
  const bytes = await whole.arrayBuffer();
  assert.equal(whole.status, 200);
  assert.equal(whole.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(whole.headers.get('access-control-allow-origin'), '*');
  assert.equal(whole.headers.get('content-length'), String(bytes.byteLength));
  const outside = await fetch(address, { headers: { range: `bytes=${bytes.byteLength}-` } });
  const { error } = (await outside.json()) as { error: { code: string } };
  assert.deepEqual([outside.status, error.code], [416, 'range_not_satisfiable']);
  assert.equal(outside.headers.get('content-range'), `bytes */${bytes.byteLength}`);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const answer = await fetch(address, { method });
    await answer.arrayBuffer();
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD'], method);
  }
});
