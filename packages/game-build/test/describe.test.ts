// The description of each file, which follows from its bytes.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { chooseTexts } from '../src/describe/describe-file.ts';
import { BuildError, bufferSource, checkBuild, extractEntries, readArchive } from '../src/index.ts';
import { build, describe, PNG, SCRIPT, WASM, warned } from './describe-builds.ts';
import { scratchFolder } from './scratch.ts';
import { buildZip } from './zip-builder.ts';

const JPEG = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(100)]);

/** File endings by their type, and whether files with this ending are compressed for transfer. */
const TYPES: readonly (readonly [type: string, shrinks: boolean, endings: string])[] = [
  ['text/html; charset=utf-8', true, 'html htm HTML'],
  ['application/xhtml+xml', true, 'xhtml'],
  ['text/javascript; charset=utf-8', true, 'js mjs cjs JS'],
  ['text/css; charset=utf-8', true, 'css'],
  ['application/json', true, 'json map'],
  ['application/manifest+json', true, 'webmanifest'],
  ['model/gltf+json', true, 'gltf'],
  ['image/svg+xml', true, 'svg'],
  ['application/xml', true, 'xml tmx tsx'],
  [
    'text/plain; charset=utf-8',
    true,
    'fnt txt md atlas glsl vert frag wgsl obj mtl ini yaml yml lua p8',
  ],
  ['text/csv; charset=utf-8', true, 'csv'],
  ['text/vtt; charset=utf-8', true, 'vtt'],
  ['model/gltf-binary', true, 'glb'],
  ['font/ttf', true, 'ttf'],
  ['font/otf', true, 'otf'],
  ['font/collection', true, 'ttc'],
  ['image/bmp', true, 'bmp'],
  ['font/woff', false, 'woff'],
  ['font/woff2', false, 'woff2'],
  ['image/png', false, 'png PNG'],
  ['image/apng', false, 'apng'],
  ['image/jpeg', false, 'jpg jpeg'],
  ['image/gif', false, 'gif'],
  ['image/webp', false, 'webp'],
  ['image/avif', false, 'avif'],
  ['image/jxl', false, 'jxl'],
  ['image/x-icon', false, 'ico cur'],
  ['image/ktx', false, 'ktx'],
  ['image/ktx2', false, 'ktx2'],
  ['image/vnd-ms.dds', false, 'dds'],
  ['image/vnd.radiance', false, 'hdr'],
  ['audio/mpeg', false, 'mp3'],
  ['audio/ogg', false, 'ogg oga opus'],
  ['audio/mp4', false, 'm4a'],
  ['audio/aac', false, 'aac'],
  ['audio/wav', false, 'wav'],
  ['audio/flac', false, 'flac'],
  ['audio/webm', false, 'weba'],
  ['audio/midi', false, 'mid midi'],
  ['video/mp4', false, 'mp4 m4v'],
  ['video/webm', false, 'webm'],
  ['video/ogg', false, 'ogv'],
  ['video/quicktime', false, 'mov'],
  ['application/pdf', false, 'pdf'],
  ['application/zip', false, 'zip'],
  ['application/x-tar', false, 'tar'],
  ['application/x-7z-compressed', false, '7z'],
  ['application/octet-stream', false, 'pck data unity3d bin unknown html5'],
];

test('each file ending has its documented type', async () => {
  const expected = new Map<string, readonly [type: string, shrinks: boolean]>([
    ['noending', ['application/octet-stream', false]],
    // The ending is in the last segment, after its last dot.
    ['a.html/noending', ['application/octet-stream', false]],
    ['a.png.css', ['text/css; charset=utf-8', true]],
    ['a.wasm', ['application/wasm', true]],
    // Names of properties of every object are not endings.
    ...['a.constructor', 'a.__proto__', 'a.toString'].map((path): [string, [string, boolean]] => [
      path,
      ['application/octet-stream', false],
    ]),
  ]);
  for (const [type, shrinks, endings] of TYPES) {
    for (const ending of endings.split(' '))
      expected.set(`a${expected.size}.${ending}`, [type, shrinks]);
  }
  const { files } = await build(
    Object.fromEntries([...expected.keys()].map((path) => [path, path === 'a.wasm' ? WASM : 'x'])),
  );
  assert.equal(files.length, expected.size + 1);
  for (const { path, type, compressible } of files) {
    if (path === 'index.html') continue;
    assert.deepEqual([type, compressible], expected.get(path), path);
  }
});

test('a game’s file in a .gz is served decoded, with any ending', async () => {
  const opaque =
    'data mem bin pck dat unity3d bundle assets resource basis symbols rgssad rpgmvp rpgmvm rpgmvo pak arc win unx wad';
  for (const ending of [...opaque.split(' '), 'json', 'png', 'wasm', 'glb']) {
    const { encoding, warnings } = await describe(`a.${ending}.gz`, gzipSync('x'));
    assert.equal(encoding, 'gzip', ending);
    assert.deepEqual(warnings, ending === 'wasm' ? ['type_mismatch'] : [], ending);
  }
});

test('the type of an image follows from its first bytes, under any name', async () => {
  const heads = {
    'image/png': '89504e470d0a1a0a',
    'image/jpeg': 'ffd8ffe1',
    'image/gif': '474946383961',
    'image/webp': '524946460000000057454250',
    'image/avif': '0000001c6674797061766966',
  };
  for (const [type, hex] of Object.entries(heads)) {
    const bytes = Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(50)]);
    const misnamed = await describe('a.bmp', bytes);
    assert.deepEqual(
      [misnamed.type, misnamed.compressible, misnamed.warnings],
      [type, false, ['type_mismatch']],
    );
    assert.equal((await describe('a.bin', bytes)).type, 'application/octet-stream');
    assert.equal((await describe('a.ogg', bytes)).type, 'audio/ogg');
  }
  // An animated PNG is a PNG. An SVG is text with any beginning.
  assert.equal((await describe('a.apng', PNG)).type, 'image/apng');
  assert.equal((await describe('a.svg', PNG)).type, 'image/svg+xml');
  assert.equal((await describe('a.bin', WASM)).type, 'application/wasm');
  assert.equal((await describe('a.js', WASM)).type, 'text/javascript; charset=utf-8');
});

test('WebAssembly must be valid, an image has the type of its bytes, and text is UTF-8 or declares its encoding', async () => {
  assert.equal((await describe('a.wasm', WASM)).type, 'application/wasm');
  const html = await describe('a.wasm', '<!doctype html>');
  assert.equal(html.type, 'application/octet-stream');
  assert.deepEqual(html.warnings, ['type_mismatch']);
  assert.equal((await describe('a.png', PNG)).type, 'image/png');
  const jpeg = await describe('a.png', JPEG);
  assert.equal(jpeg.type, 'image/jpeg');
  assert.deepEqual(jpeg.warnings, ['type_mismatch']);
  assert.equal((await describe('a.html', Buffer.from('<p>caf\xe9', 'latin1'))).type, 'text/html');
});

test('.br and .gz files keep their bytes, and report the type and size of their content', async () => {
  const br = await describe(
    'Build/x.wasm.br',
    brotliCompressSync(Buffer.concat([WASM, Buffer.alloc(5000)])),
  );
  assert.deepEqual(
    [br.encoding, br.type, br.inner_bytes, br.compressible],
    ['br', 'application/wasm', 5008, false],
  );
  const gz = await describe('Build/x.framework.js.gz', gzipSync(SCRIPT));
  assert.deepEqual(
    [gz.encoding, gz.type, gz.inner_bytes],
    ['gzip', 'text/javascript; charset=utf-8', SCRIPT.length],
  );
  const data = await describe('Build/x.data.gz', gzipSync(Buffer.alloc(3_000_000)));
  assert.deepEqual(
    [data.encoding, data.type, data.inner_bytes],
    ['gzip', 'application/octet-stream', 3_000_000],
  );
  const svg = await describe('a.svgz', gzipSync('<svg/>'));
  assert.deepEqual([svg.encoding, svg.type], ['gzip', 'image/svg+xml']);
});

test('text and WebAssembly that are gzip under their plain name are served as gzip', async () => {
  const js = await describe('a.js', gzipSync(SCRIPT));
  assert.deepEqual(
    [js.encoding, js.type, js.inner_bytes],
    ['gzip', 'text/javascript; charset=utf-8', SCRIPT.length],
  );
  const wasm = await describe('a.wasm', gzipSync(WASM));
  assert.deepEqual(
    [wasm.encoding, wasm.type, wasm.inner_bytes],
    ['gzip', 'application/wasm', WASM.length],
  );
  assert.equal((await describe('a.data', gzipSync(WASM))).encoding, null);
});

test('the endings of encodings are recognized in capital letters', async () => {
  const rows: [path: string, data: Buffer, encoding: string | null, type: string][] = [
    ['A.JS.BR', brotliCompressSync(Buffer.from(SCRIPT)), 'br', 'text/javascript; charset=utf-8'],
    ['A.JSON.GZ', gzipSync('{}'), 'gzip', 'application/json'],
    ['A.SVGZ', gzipSync('<svg/>'), 'gzip', 'image/svg+xml'],
    ['A.DATA.UNITYWEB', unityGzip(Buffer.from('x')), 'gzip', 'application/octet-stream'],
    ['A.TAR.GZ', gzipSync('x'), null, 'application/gzip'],
  ];
  for (const [path, data, encoding, type] of rows) {
    const file = await describe(path, data);
    assert.deepEqual([file.encoding, file.type, file.warnings], [encoding, type, []], path);
  }
  assert.deepEqual((await describe('A.TGZ', Buffer.from('x'))).warnings, ['encoding_invalid']);
  assert.deepEqual((await describe('a.txt.GZ', Buffer.from('x'))).warnings, ['encoding_invalid']);
  // The first of gzip's two bytes alone is not a mark of gzip.
  const half = Buffer.from([0x1f, 0x8c, 8, 0]);
  assert.deepEqual((await describe('a.txt', half)).encoding, null);
  assert.deepEqual((await describe('a.txt', half)).warnings, []);
});

test('a large encoded file is decoded as a stream, up to its first fault', async () => {
  const mib = 1 << 20;
  const noise = noiseOf(3 * mib);
  const gzip = gzipSync(noise);
  // A chunk has 256 KiB. Two of the last four bytes are in a chunk of their own.
  const few = gzipSync(noise.subarray(0, 9 * 262_144 - 371), { level: 0 });
  assert.equal(few.length % 262_144, 2);
  const brotli = brotliCompressSync(noise, { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } });
  assert.ok(gzip.length > 2 * mib && brotli.length > 2 * mib);
  const files: Record<string, Buffer> = {
    'whole.data.gz': gzip,
    'whole.data.br': brotli,
    'whole.few.data.gz': few,
    'text.data.br': Buffer.alloc(3 * mib, 'text '),
    'text.data.gz': Buffer.alloc(3 * mib, 'text '),
    'cut.data.gz': gzip.subarray(0, -1),
    'cut.data.br': brotli.subarray(0, -1),
    'more.data.gz': Buffer.concat([gzipSync('x'), noise]),
    'more.data.br': Buffer.concat([brotliCompressSync(Buffer.from('x')), noise]),
    'twice.data.gz': Buffer.concat([gzip, gzip]),
  };
  const { files: reported, warnings } = await build(files, {}, false);
  const whole = reported.filter(({ encoding }) => encoding !== null);
  assert.deepEqual(
    whole.map(({ path, encoding, inner_bytes }) => [path, encoding, inner_bytes]),
    [
      ['whole.data.br', 'br', noise.length],
      ['whole.data.gz', 'gzip', noise.length],
      ['whole.few.data.gz', 'gzip', 9 * 262_144 - 371],
    ],
  );
  assert.deepEqual(
    warnings.map(({ code, entry }) => [code, entry]),
    Object.keys(files)
      .filter((path) => !path.startsWith('whole'))
      .sort()
      .map((path) => ['encoding_invalid', path]),
  );
});

/** Incompressible bytes, the same in each run. */
function noiseOf(length: number): Buffer {
  const parts = Array.from({ length: Math.ceil(length / 64) }, (_, i) =>
    hash('sha512', `${i}`, 'buffer'),
  );
  return Buffer.concat(parts).subarray(0, length);
}

test('a real archive stays an archive', async () => {
  const inner = ['zip', 'gz', 'tgz', 'tar', '7z', 'br', 'unknown', 'constructor', '__proto__'];
  const paths = inner.map((ending) => `levels.${ending}.gz`);
  for (const path of [...paths, 'levels.tgz', 'save.gz']) {
    const file = await describe(path, gzipSync('archive'));
    assert.deepEqual(
      [file.encoding, file.type, file.warnings],
      [null, 'application/gzip', []],
      path,
    );
  }
});

test('a .unityweb file is recognized by a gzip comment or a brotli metadata block', async () => {
  const gz = await describe(
    'Build/x.wasm.code.unityweb',
    unityGzip(Buffer.concat([WASM, Buffer.alloc(100)])),
  );
  assert.deepEqual([gz.encoding, gz.type, gz.inner_bytes], ['gzip', 'application/wasm', 108]);
  const br = await describe('Build/x.framework.js.unityweb', unityBrotli(Buffer.from(SCRIPT)));
  assert.deepEqual(
    [br.encoding, br.type, br.inner_bytes],
    ['br', 'text/javascript; charset=utf-8', SCRIPT.length],
  );
  const data = await describe(
    'Build/x.data.unityweb',
    unityBrotli(Buffer.from('UnityWebData1.0\0rest')),
  );
  assert.deepEqual([data.encoding, data.type], ['br', 'application/octet-stream']);
  const plain = await describe('Build/x.data.unityweb', 'UnityWebData1.0\0rest');
  assert.deepEqual(
    [plain.encoding, plain.type, plain.warnings],
    [null, 'application/octet-stream', []],
  );
  const plainWasm = await describe('Build/x.wasm.code.unityweb', WASM);
  assert.deepEqual([plainWasm.encoding, plainWasm.type], [null, 'application/wasm']);
  const framework = await describe(
    'Build/x.wasm.framework.unityweb',
    unityGzip(Buffer.from(SCRIPT)),
  );
  assert.equal(framework.type, 'text/javascript; charset=utf-8');
  const script = unityGzip(Buffer.from(SCRIPT));
  for (const [name, type] of [
    ['x.loader', 'text/javascript; charset=utf-8'],
    ['x.asm.code', 'text/javascript; charset=utf-8'],
    ['xloader', 'application/octet-stream'],
    ['x.loader.old', 'application/octet-stream'],
    ['x.mem.code', 'application/octet-stream'],
  ] as const) {
    assert.equal((await describe(`Build/${name}.unityweb`, script)).type, type, name);
  }
});

/** gzip with the comment that Unity's build writes (flag FCOMMENT). */
function unityGzip(data: Buffer): Buffer {
  const plain = gzipSync(data);
  plain[3] = 0x10;
  const comment = Buffer.from('UnityWeb Compressed Content (gzip)\0');
  return Buffer.concat([plain.subarray(0, 10), comment, plain.subarray(10)]);
}

/** brotli with a metadata block of Unity's comment, then one uncompressed block, by RFC 7932 section 9.2. */
function unityBrotli(data: Buffer): Buffer {
  const comment = Buffer.from('UnityWeb Compressed Content (brotli)');
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let i = 0; i < count; i++) bits.push((value >> i) & 1);
  };
  const align = (): void => {
    while (bits.length % 8 !== 0) bits.push(0);
  };
  const putBytes = (bytes: Buffer): void => {
    for (const byte of bytes) put(byte, 8);
  };
  put(0, 1);
  put(0, 1);
  put(3, 2);
  put(0, 1);
  put(1, 2);
  put(comment.length - 1, 8);
  align();
  putBytes(comment);
  put(0, 1);
  put(0, 2);
  put(data.length - 1, 16);
  put(1, 1);
  align();
  putBytes(data);
  put(3, 2);
  align();
  return Buffer.from(
    Array.from({ length: bits.length / 8 }, (_, i) =>
      bits.slice(i * 8, i * 8 + 8).reduce((sum, bit, j) => sum | (bit << j), 0),
    ),
  );
}

test('a file that cannot be decoded has the type octet-stream and a warning', async () => {
  const whole = brotliCompressSync(Buffer.from(SCRIPT));
  const gzip = gzipSync(SCRIPT);
  const damaged = Buffer.from(gzip);
  damaged[gzip.length - 6] = (damaged[gzip.length - 6] ?? 0) ^ 1;
  const cases: Record<string, Buffer> = {
    'text.js.br': Buffer.from(SCRIPT),
    'empty.js.br': Buffer.alloc(0),
    'cut.js.br': whole.subarray(0, whole.length - 3),
    'more.js.br': Buffer.concat([whole, Buffer.from('more')]),
    'cut.js.gz': gzip.subarray(0, gzip.length - 3),
    'crc.js.gz': damaged,
    'more.js.gz': Buffer.concat([gzip, Buffer.from('more')]),
    'text.js.gz': Buffer.from(SCRIPT),
    // A browser shows only the first of them.
    'several.json.gz': Buffer.concat([gzipSync('[1,'), gzipSync('2]')]),
    'several.js': Buffer.concat([gzip, gzipSync('more()'), gzipSync('')]),
    'cut.js': gzip.subarray(0, gzip.length - 3),
  };
  for (const [path, data] of Object.entries(cases)) {
    const file = await describe(path, data);
    const said = [file.encoding, file.type, file.inner_bytes, file.warnings];
    assert.deepEqual(said, [null, 'application/octet-stream', null, ['encoding_invalid']], path);
  }
});

test('a bomb in a precompressed file is rejected with the expansion limit', async () => {
  const bomb = brotliCompressSync(Buffer.alloc(64 << 20));
  const limits = { expanded_bytes: 32 << 20 };
  await assert.rejects(build({ 'a.data.br': bomb }, limits), { code: 'zip_expansion_limit' });
  await assert.rejects(build({ 'a.data.br': bomb }, { file_bytes: 32 << 20 }), {
    code: 'zip_expansion_limit',
  });
  const half = gzipSync(Buffer.alloc(20 << 20));
  await build({ 'a.data.gz': half }, limits);
  await assert.rejects(build({ 'a.data.gz': half, 'b.data.gz': half }, limits), {
    code: 'zip_expansion_limit',
  });
});

test('decoded precompressed files may have exactly the allowed size', async () => {
  const files = { 'a.data.gz': gzipSync(Buffer.alloc(300_000)) };
  await build(files, { file_bytes: 300_000 });
  await assert.rejects(build(files, { file_bytes: 299_999 }), { code: 'zip_expansion_limit' });
  await build(files, { expanded_bytes: 300_000 });
  await assert.rejects(build(files, { expanded_bytes: 299_999 }), { code: 'zip_expansion_limit' });
  const refused = async (limits: { file_bytes?: number; expanded_bytes?: number }) => {
    const error = await build(files, limits).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof BuildError);
    return error.findings.map(({ entry, rule, message }) => [entry, rule, message]);
  };
  assert.deepEqual(await refused({ file_bytes: 299_999 }), [
    ['a.data.gz', 'inner_bytes', '"a.data.gz" decodes to more than 299999 bytes.'],
  ]);
  assert.deepEqual(await refused({ expanded_bytes: 299_999 }), [
    [
      'a.data.gz',
      'inner_bytes',
      '"a.data.gz" decodes to more bytes than all files together may have.',
    ],
  ]);
});

test('text that is cut off in a character at its end is UTF-8, and text with an invalid byte before is not', async () => {
  const looked = 4 << 20;
  const typeOf = async (data: Buffer): Promise<string> => (await describe('a.txt', data)).type;
  for (const [character, bytes] of [
    ['é', 2],
    ['€', 3],
    ['🌙', 4],
  ] as const) {
    for (let inside = 1; inside < bytes; inside++) {
      const text = Buffer.from(`${'a'.repeat(looked - inside)}${character}b`);
      assert.equal(await typeOf(text), 'text/plain; charset=utf-8', `${character} ${inside}`);
      const whole = Buffer.from(`a${character}`).subarray(0, 1 + inside);
      assert.equal(await typeOf(whole), 'text/plain', `${character} ${inside}`);
    }
  }
  const torn = Buffer.from(`${'a'.repeat(looked)}b`);
  torn[looked - 5] = 0xff;
  assert.equal(await typeOf(torn), 'text/plain');
});

test('the time to describe hostile text is linear in its length', async () => {
  const unit = 300_000;
  const hostile: Record<string, string> = {
    'a.html': '<img '.repeat(unit) + '<script src='.repeat(unit / 4),
    'b.html': `<img ${'src = "'.repeat(unit)}`,
    'c.js': `import${' '.repeat(unit)}"`.repeat(4) + '"a.b'.repeat(unit),
    'd.css': 'url('.repeat(unit) + 'url("'.repeat(unit),
    'e.js': `"${'a.'.repeat(unit)}`,
    'f.json': 'A'.repeat(unit) + '-----BEGIN '.repeat(unit / 4),
    'g.css': `"${'\\"'.repeat(unit)}`,
    'h.css': '-'.repeat(unit * 4),
    'i.js': '}/['.repeat(unit),
    'j.js': `import "${'/'.repeat(unit * 4)}"`,
    'k.html': `<meta http-equiv="refresh" content="${' '.repeat(unit * 4)}">`,
    'l.html': '<!--'.repeat(unit) + '<script>'.repeat(unit),
    'm.html': `<img srcset="${'a, '.repeat(unit)}"><video><source srcset="${'a, '.repeat(unit)}">`,
    'n.css': `@font-face { src: ${'url(a),'.repeat(unit)} }`,
  };
  assert.equal((await build(hostile)).file_count, 15);
});

test('chooseTexts limits the total size: a text counts up to 4 MiB, and a precompressed one eight times its size', () => {
  const mib = 1 << 20;
  const chosen = (files: [path: string, bytes: number][]): number =>
    chooseTexts(files.map(([path, bytes]) => ({ path, bytes }))).size;
  const many = (count: number, name: string, bytes: number) =>
    Array.from({ length: count }, (_, i): [string, number] => [`${i}${name}`, bytes]);
  assert.equal(chosen(many(70, '.js', mib)), 64);
  assert.equal(chosen(many(20, '.js', 4 * mib)), 16);
  assert.equal(chosen(many(20, '.js', 400 * mib)), 16);
  assert.equal(chosen(many(20, '.js.br', mib)), 16);
  assert.equal(chosen(many(200, '.js.gz', mib / 8)), 64);
  assert.equal(chosen([...many(20, '.png', 400 * mib), ...many(16, '.js', 4 * mib)]), 36);
});

test('describing reads a limited amount of text, the same in each run', async () => {
  const page = `<img src="/none.png">${' '.repeat(4 << 20)}`;
  const pages = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`p${String(i).padStart(2, '0')}.html`, page]),
  );
  const warnedPages = warned(await build(pages)).map(([, entry]) => entry);
  assert.deepEqual(warnedPages, Object.keys(pages).slice(0, 15));
});

test('describing a large text reads its beginning, for any size of chunks', async () => {
  const page = `<img src="/none.png">${' '.repeat(3 << 20)}<img src="/last.png">`;
  const expected = ['none', 'last'].map(
    (name) => `"a.html" refers to "/${name}.png", which is not in the game's own folder.`,
  );
  await using folder = await scratchFolder();
  const path = join(folder.path, 'a.zip');
  for (const deflate of [true, false]) {
    const index = { name: 'index.html', data: 'x' };
    // A file returns all its chunks in the same buffer.
    await writeFile(path, buildZip([index, { name: 'a.html', data: page, deflate }]));
    const verdict = await checkBuild(path);
    assert.ok(verdict.accepted);
    assert.deepEqual(
      verdict.build.warnings.map(({ message }) => message),
      expected,
    );
  }
});

test('each warning names the file, the fault and the next step', async () => {
  const reported = await build({
    '.hidden': 'x',
    'a.png': JPEG,
    'b.js.br': SCRIPT,
    'c.key': 'x',
    'd.txt': '-----BEGIN PRIVATE KEY-----',
    'e.js.map': '{}',
    'f.css': 'a { background: url(A.png) url("/a.png") url("/g/none.png") }',
  });
  const rows = reported.warnings.map(({ code, entry, rule, message, hint }) => {
    return [code, entry, rule, message, hint];
  });
  const folder = "which is not in the game's own folder.";
  assert.deepEqual(rows, [
    [
      'file_not_served',
      '.hidden',
      'dot_segment',
      '".hidden" has a name that begins with a dot and is never served.',
      null,
    ],
    [
      'type_mismatch',
      'a.png',
      'type_mismatch',
      '"a.png" is named as image/png, but has other content. It is served as image/jpeg.',
      'Rename the file, or build it again.',
    ],
    [
      'encoding_invalid',
      'b.js.br',
      'encoding_invalid',
      '"b.js.br" is named as a compressed file, or begins like one, but cannot be decoded.',
      'It is served as plain bytes. Compress it again, or rename it.',
    ],
    [
      'secret_published',
      'c.key',
      'secret_name',
      '"c.key" looks like a key.',
      'Everything in a build is public. Remove the file.',
    ],
    [
      'secret_published',
      'd.txt',
      'secret_text',
      '"d.txt" appears to contain a private key.',
      'Everything in a build is public. Remove the secret, and revoke it at its source.',
    ],
    [
      'source_map_published',
      'e.js.map',
      'source_map',
      '"e.js.map" is a source map, with which players can read your sources.',
      'Remove source maps from the published build, for example with .svcignore.',
    ],
    [
      'reference_case',
      'f.css',
      'reference_case',
      '"f.css" refers to "A.png"; the file is "a.png".',
      'Use the same upper and lower case letters: names are case-sensitive.',
    ],
    [
      'reference_absolute',
      'f.css',
      'reference_absolute',
      `"f.css" refers to "/a.png", ${folder}`,
      'Write it without the slash: "a.png". Games are served below /play/.',
    ],
    [
      'reference_absolute',
      'f.css',
      'reference_absolute',
      `"f.css" refers to "/g/none.png", ${folder}`,
      'Write it without the slash. Games are served below /play/.',
    ],
  ]);
});

test('warnings about the stripped root folder and dropped entries come first', async () => {
  const page = { name: 'Game/index.html', data: '<img src="/none.png">' };
  const reported = async (...names: string[]) => {
    const zip = buildZip([page, ...names.map((name) => ({ name }))]);
    await using archive = await readArchive(bufferSource(zip));
    const { root, warnings } = await extractEntries(archive, null);
    assert.equal(root, 'Game');
    return warnings.map(({ code, entry, message }) => [code, entry, message]);
  };
  const root = [
    'root_folder_stripped',
    'Game',
    'All files are in the folder "Game", which becomes the root of the build.',
  ];
  const absolute = [
    'reference_absolute',
    'index.html',
    '"index.html" refers to "/none.png", which is not in the game\'s own folder.',
  ];
  assert.deepEqual(await reported(), [root, absolute]);
  const [, dropped] = await reported('Game/.DS_Store');
  const one = '1 entry that an operating system left behind was dropped.';
  assert.deepEqual(dropped, ['junk_dropped', null, one]);
  assert.deepEqual(await reported('Game/.DS_Store', '__MACOSX/a'), [
    root,
    ['junk_dropped', null, '2 entries that an operating system left behind were dropped.'],
    absolute,
  ]);
  assert.deepEqual((await build({ 'a.txt': 'x' })).warnings, []);
});
