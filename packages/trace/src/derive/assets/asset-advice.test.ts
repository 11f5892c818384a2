// The advice on an asset: its limits, texts and order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { isCompressed } from './asset-advice.ts';
import { assetReportOf } from './asset-report.ts';

const MIB = 1_048_576;

/** The advice on the only asset of a trace, with a frame budget of 10 ms. */
async function adviceOn(...lines: string[]) {
  const bytes = new TextEncoder().encode(traceFromText(['browser', ...lines].join('\n')));
  const { assets } = await assetReportOf([bytes], 10);
  assert.equal(assets.length, 1);
  return assets[0]?.advice ?? [];
}

const upload = (fields: string, kind = 'texture'): string => `0 asset 1 a ${kind} upload ${fields}`;
const uploads = (count: number, kind: string): string[] =>
  Array.from({ length: count }, () => upload('', kind));

/** The advice, a trace just below its limit, and one at the limit. */
const LIMITS: readonly (readonly [code: string, not: string[], given: string[]])[] = [
  ['main_thread_work', [upload('main_thread_ms=5')], [upload('main_thread_ms=5.1')]],
  [
    'main_thread_work',
    ['0 frames 10', upload('main_thread_ms=1')],
    ['0 frames 10.1', upload('main_thread_ms=1')],
  ],
  ['repeated_upload', uploads(7, 'texture'), uploads(8, 'texture')],
  ['repeated_upload', uploads(8, 'video'), uploads(8, 'mesh')],
  [
    'uncompressed_texture',
    [upload(`format=RGBA8 gpu_bytes=${4 * MIB - 1}`)],
    [upload(`format=RGBA8 gpu_bytes=${4 * MIB}`)],
  ],
  [
    'uncompressed_texture',
    [upload(`format=BC7 gpu_bytes=${4 * MIB}`)],
    [upload(`format=R8 gpu_bytes=${4 * MIB}`)],
  ],
  [
    'uncompressed_texture',
    [upload(`gpu_bytes=${4 * MIB}`)],
    [upload(`format=RGBA8 gpu_bytes=${4 * MIB}`)],
  ],
  [
    'uncompressed_texture',
    [upload(`format=RGBA8 gpu_bytes=${4 * MIB}`, 'mesh')],
    [upload(`format=RGBA8 gpu_bytes=${4 * MIB}`)],
  ],
  ['large_texture', [upload('dims=2048x2048')], [upload('dims=2049x1')]],
  ['large_texture', [upload('dims=1x2049', 'mesh')], [upload('dims=1x2049')]],
  [
    'large_audio',
    [`0 asset 1 a audio decode bytes=${10 * MIB - 1}`],
    [`0 asset 1 a audio decode bytes=${10 * MIB}`],
  ],
  [
    'large_audio',
    [`0 asset 1 a data decode bytes=${10 * MIB}`],
    [`0 asset 1 a audio decode bytes=${10 * MIB}`],
  ],
  [
    'read_again',
    [`0 asset 1 a data read encoded_bytes=${5 * MIB} read_bytes=${10 * MIB - 1}`],
    [`0 asset 1 a data read encoded_bytes=${5 * MIB} read_bytes=${10 * MIB}`],
  ],
  [
    'read_again',
    [`0 asset 1 a data read encoded_bytes=9 read_bytes=${4 * MIB + 8}`],
    [`0 asset 1 a data read encoded_bytes=9 read_bytes=${4 * MIB + 9}`],
  ],
  [
    'read_again',
    [`0 asset 1 a data read encoded_bytes=0 read_bytes=${9 * MIB}`],
    [`0 asset 1 a data read encoded_bytes=1 read_bytes=${9 * MIB}`],
  ],
  [
    'small_reads',
    ['0 asset 1 a data read count=499 read_bytes=499'],
    ['0 asset 1 a data read count=500 read_bytes=500'],
  ],
  [
    'small_reads',
    [`0 asset 1 a data read count=500 read_bytes=${500 * 8192}`],
    [`0 asset 1 a data read count=500 read_bytes=${500 * 8192 - 1}`],
  ],
  ['opaque_resource', ['0 asset 1 a data load'], ['0 asset 1 a data load opaque=']],
];

test('each advice is given when its value reaches the limit', async () => {
  for (const [code, not, given] of LIMITS) {
    const codes = async (lines: string[]) => (await adviceOn(...lines)).map((one) => one.code);
    assert.ok(!(await codes(not)).includes(code), `${code} on ${not[0]}`);
    assert.ok((await codes(given)).includes(code), `no ${code} on ${given[0]}`);
  }
});

test('advice contains the measured values, most urgent first', async () => {
  const texture = await adviceOn(
    ...Array.from({ length: 7 }, (_, i) => `${i} asset 1 a texture upload main_thread_ms=${i}`),
    `9 asset 1 a texture upload main_thread_ms=12.5 dims=4096x2048 format=RGBA8 gpu_bytes=${33.5 * MIB} opaque=`,
  );
  assert.deepEqual(
    texture.map(({ code, text }) => `${code}: ${text}`),
    [
      'main_thread_work: Its upload blocked the main thread for 12.5 ms at once: upload it in pieces or behind a loading screen.',
      'repeated_upload: It was uploaded 8 times. Keep it on the GPU, or update only the part that changed.',
      'uncompressed_texture: It takes 33.5 MiB on the GPU as RGBA8. A compressed format (BC7, ASTC or ETC2 in KTX2) takes a quarter or less.',
      'large_texture: It is 4096 × 2048. With half the width and height it takes a quarter of the memory and upload time.',
      'opaque_resource: Its server hides sizes and times. Let the server send Timing-Allow-Origin to see them.',
    ],
  );
  const audio = await adviceOn(
    `0 asset 1 a audio read count=1000 encoded_bytes=${2 * MIB} read_bytes=${7 * MIB} bytes=${20 * MIB}`,
  );
  assert.deepEqual(
    audio.map(({ code, text }) => `${code}: ${text}`),
    [
      'large_audio: It takes 20.0 MiB decoded. Stream it through a media element instead of decoding all of it.',
      'read_again: The game read 7.0 MiB of it, 3.5 times its size. Keep the data in memory.',
      'small_reads: It was read in 1000 calls of 7340 bytes each. Read more per call.',
    ],
  );
});

test('advice about main-thread work depends on the phase of the longest record', async () => {
  const ways = [
    ['load', 'move the work off the main thread or before the scene'],
    [
      'decode',
      'decode it in a worker or ahead of time (createImageBitmap, decodeAudioData before play)',
    ],
    ['upload', 'upload it in pieces or behind a loading screen'],
    ['compile', 'compile and link it before the scene starts'],
    ['read', 'read it in another thread, or before the scene starts'],
  ] as const;
  for (const [phase, way] of ways) {
    const other = phase === 'load' ? 'decode' : 'load';
    const [advice] = await adviceOn(
      `0 asset 1 a data ${other} main_thread_ms=6`,
      `10 asset 1 a data ${other} main_thread_ms=6`,
      `20 asset 1 a data ${phase} main_thread_ms=8`,
      `30 asset 1 a data ${other} main_thread_ms=8`,
    );
    const text = `Its ${phase} blocked the main thread for 8 ms at once: ${way}.`;
    assert.deepEqual(advice, { code: 'main_thread_work', text });
  }
});

test('read calls count, page faults of a mapping do not, and a record without a count is one call', async () => {
  const reads = async (...fields: string[]) =>
    (await adviceOn(...fields.map((one) => `0 asset 1 a data read ${one}`))).find(
      ({ code }) => code === 'small_reads',
    )?.text;
  assert.equal(await reads('mapped= count=9000 read_bytes=9', 'count=499 read_bytes=9'), undefined);
  assert.match(
    (await reads('count=499 read_bytes=491', 'read_bytes=9')) ?? '',
    /in 500 calls of 1 bytes/,
  );
});

test('isCompressed recognizes the names of block-compressed formats', () => {
  const compressed = [
    'BC7',
    'bc1-rgba-unorm',
    'atc-rgba-interpolated',
    'BPTC',
    'S3TC',
    'DXT5',
    'RGTC2',
    'ETC2',
    'EAC_R11',
    'ASTC_4x4',
    'PVRTC',
    'COMPRESSED_RGB8',
    'RGBA_S3TC_DXT1',
    'SRGB_BPTC',
    'RGB8_ETC2',
    'RGB_ETC1',
    'RGBA_ASTC_8x8',
    'RGB_PVRTC_4BPP',
  ];
  for (const format of compressed) assert.ok(isCompressed(format), format);
  for (const format of ['RGBA8', 'BCD', 'R8', 'RGBA16F', 'bgra8unorm', 'DEPTH_COMPONENT24', '']) {
    assert.ok(!isCompressed(format), format);
  }
});
