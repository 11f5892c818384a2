// What is said of each file, decided by its bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { chooseTexts } from '../src/describe/describe-file.ts';
import {
  type Build,
  type BuildLimits,
  bufferSource,
  extractEntries,
  readArchive,
} from '../src/index.ts';
import { buildZip } from './zip-builder.ts';

async function build(
  files: Readonly<Record<string, string | Buffer>>,
  limits: Partial<BuildLimits> = {},
): Promise<Build> {
  const all = { 'index.html': '<title>x</title>', ...files };
  const zip = buildZip(Object.entries(all).map(([name, data]) => ({ name, data, deflate: true })));
  await using archive = await readArchive(bufferSource(zip), limits);
  return await extractEntries(archive, null);
}

async function describe(path: string, data: string | Buffer) {
  const { files, warnings } = await build({ [path]: data });
  const file = files.find((one) => one.path === path);
  assert.ok(file !== undefined);
  return { ...file, warnings: warnings.map((warning) => warning.code) };
}

function warned({ warnings }: Build): [string, string | null][] {
  return warnings.map(({ code, entry }) => [code, entry]);
}

const WASM = Buffer.from('0061736d01000000', 'hex');
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100)]);
const JPEG = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(100)]);
const SCRIPT = 'function start() { return 1 }\n'.repeat(100);

/** Endings by the type that they have, and whether compressing it for transfer is worth it. */
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

test('type: every ending that games ship', async () => {
  const expected = new Map<string, readonly [type: string, shrinks: boolean]>([
    ['noending', ['application/octet-stream', false]],
    // Only the last segment has an ending, and only the last dot begins it.
    ['a.html/noending', ['application/octet-stream', false]],
    ['a.png.css', ['text/css; charset=utf-8', true]],
    ['a.wasm', ['application/wasm', true]],
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

test('encoding: a game’s file in a .gz is served decoded, whatever its ending', async () => {
  const opaque =
    'data mem bin pck dat unity3d bundle assets resource basis symbols rgssad rpgmvp rpgmvm rpgmvo pak arc win unx wad';
  for (const ending of [...opaque.split(' '), 'json', 'png', 'wasm', 'glb']) {
    const { encoding, warnings } = await describe(`a.${ending}.gz`, gzipSync('x'));
    assert.equal(encoding, 'gzip', ending);
    assert.deepEqual(warnings, ending === 'wasm' ? ['type_mismatch'] : [], ending);
  }
});

test('type: the first bytes of each image format, under the name of another and under no type’s', async () => {
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
  // An animated PNG is a PNG, and an SVG is text whatever it begins with.
  assert.equal((await describe('a.apng', PNG)).type, 'image/apng');
  assert.equal((await describe('a.svg', PNG)).type, 'image/svg+xml');
  assert.equal((await describe('a.bin', WASM)).type, 'application/wasm');
  assert.equal((await describe('a.js', WASM)).type, 'text/javascript; charset=utf-8');
});

test('type: WebAssembly must be WebAssembly, an image is what its bytes are, text is UTF-8 or says so itself', async () => {
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

test('encoding: .br and .gz builds keep their bytes and tell the inner type and size', async () => {
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

test('encoding: text and WebAssembly that are gzip under their plain name are gzip', async () => {
  const js = await describe('a.js', gzipSync(SCRIPT));
  assert.deepEqual(
    [js.encoding, js.type, js.inner_bytes],
    ['gzip', 'text/javascript; charset=utf-8', SCRIPT.length],
  );
});

test('encoding: a real archive stays one', async () => {
  for (const path of ['levels.tar.gz', 'levels.tgz', 'save.gz']) {
    const file = await describe(path, gzipSync('archive'));
    assert.deepEqual(
      [file.encoding, file.type, file.warnings],
      [null, 'application/gzip', []],
      path,
    );
  }
});

test('encoding: Unity marks its .unityweb files, by a gzip comment or a brotli metadata block', async () => {
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
});

/** gzip with the comment that Unity's build writes (flag FCOMMENT). */
function unityGzip(data: Buffer): Buffer {
  const plain = gzipSync(data);
  plain[3] = 0x10;
  const comment = Buffer.from('UnityWeb Compressed Content (gzip)\0');
  return Buffer.concat([plain.subarray(0, 10), comment, plain.subarray(10)]);
}

/** brotli that begins with a metadata block of Unity's comment, then one uncompressed block, by RFC 7932 section 9.2. */
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

test('encoding: what does not decode is octet-stream and told', async () => {
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
    // A browser shows the first of them alone.
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

test('encoding: a bomb in a precompressed file is refused under the expansion limit', async () => {
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

/** A module that imports one memory, shared or not, behind a function import. */
function wasmImporting(shared: boolean): Buffer {
  const imports = Buffer.from([
    2,
    1,
    0x61,
    1,
    0x66,
    0,
    0,
    1,
    0x61,
    1,
    0x6d,
    2,
    shared ? 3 : 1,
    1,
    2,
  ]);
  return Buffer.concat([
    WASM,
    Buffer.from([1, 4, 1, 0x60, 0, 0]),
    Buffer.from([2, imports.length]),
    imports,
  ]);
}

test('isolation: require-corp where threads are found and nothing foreign is loaded', async () => {
  const own = Buffer.concat([WASM, Buffer.from([5, 4, 1, 3, 1, 2])]);
  for (const threaded of [wasmImporting(true), own]) {
    const alone = await build({ 'a.wasm': threaded });
    assert.deepEqual([alone.threads, alone.isolation], [true, 'require-corp']);
  }
  const packed = await build({ 'a.wasm.br': brotliCompressSync(wasmImporting(true)) });
  assert.equal(packed.isolation, 'require-corp');
  const script = await build({
    'a.js': 'const m = new WebAssembly.Memory({initial:1,maximum:2,shared:!0})',
  });
  assert.equal(script.isolation, 'require-corp');
  const single = await build({ 'a.wasm': wasmImporting(false), 'a.js': SCRIPT });
  assert.deepEqual([single.threads, single.isolation], [false, 'credentialless']);
  const foreign = await build({
    'a.wasm': wasmImporting(true),
    'a.html': '<script src="https://cdn.example/x.js"></script>',
  });
  assert.deepEqual(
    [foreign.threads, foreign.isolation, foreign.foreign_hosts],
    [true, 'credentialless', ['cdn.example']],
  );
});

test('threads: making or waiting on shared memory is their use, asking for it is not', async () => {
  const uses = {
    Emscripten:
      'wasmMemory=new WebAssembly.Memory({"initial":INITIAL_MEMORY/65536,"maximum":2147483648/65536,"shared":true})',
    minified: 'm=new WebAssembly.Memory({initial:a/65536,maximum:32768,shared:!0})',
    'by hand': 'const b = new SharedArrayBuffer(1024); new Int32Array(b)',
    computed: 'new SharedArrayBuffer( 4*n )',
    waiting: 'onmessage=({data})=>{Atomics.wait(data,0,0)}',
  };
  const asks = {
    isolation: 'if (!window.crossOriginIsolated) console.log("memory is not measured")',
    'a Unity loader':
      'hasWasmThreads:function(){if("undefined"==typeof SharedArrayBuffer)return!1;var e=new WebAssembly.Memory({initial:1,maximum:1,shared:!0});return e.buffer instanceof SharedArrayBuffer}()',
    'a feature probe': 'new MessageChannel().port1.postMessage(new SharedArrayBuffer(1))',
    'a view of any memory': 'buffer instanceof SharedArrayBuffer ? copy(buffer) : buffer',
    'another thing that is shared': 'registerShader({shared: true}); texture.shared=true',
  };
  for (const [what, script] of Object.entries(uses)) {
    assert.equal((await build({ 'a.js': script })).threads, true, what);
  }
  for (const [what, script] of Object.entries(asks)) {
    const told = await build({ 'a.js': script });
    assert.deepEqual([told.threads, told.isolation], [false, 'credentialless'], what);
  }
});

test('threads: a Godot page that says it has none, beside a module with its own memory', async () => {
  const page =
    'const GODOT_THREADS_ENABLED = false;\nconst missing = Engine.getMissingFeatures({ threads: GODOT_THREADS_ENABLED });';
  const engine =
    'getMissingFeatures:function(f={}){if(f.threads){if(!window["crossOriginIsolated"])m.push("Cross-Origin Isolation")}}';
  const godot = await build({
    'game.html': `<script src="game.js"></script><script>${page}</script>`,
    'game.js': engine,
    'game.wasm': wasmImporting(false),
  });
  assert.deepEqual([godot.threads, godot.isolation], [false, 'credentialless']);
  const threaded = await build({ 'game.js': engine, 'game.wasm': wasmImporting(true) });
  assert.deepEqual([threaded.threads, threaded.isolation], [true, 'require-corp']);
});

test('threads: the bounds of a probe, and every way to wait or to share', async () => {
  const rows: [script: string, threads: boolean][] = [
    ['new SharedArrayBuffer()', false],
    ['new SharedArrayBuffer(3)', false],
    ['new SharedArrayBuffer(4)', true],
    ['new SharedArrayBuffer(12)', true],
    ['new SharedArrayBuffer(n)', true],
    ['Atomics.wait(a,0,0)', true],
    ['Atomics.waitAsync(a,0,0)', true],
    ['Atomics.notify(a,0)', false],
    ['new WebAssembly.Memory({initial:1,maximum:0,shared:true})', false],
    ['new WebAssembly.Memory({initial:1,maximum:1,shared:true})', false],
    ['new WebAssembly.Memory({initial:1,"maximum":1,"shared":!0})', false],
    ['new WebAssembly.Memory({initial:1,maximum:2,shared:true})', true],
    ['new WebAssembly.Memory({initial:1,maximum:10,shared:true})', true],
    ['new WebAssembly.Memory({initial:1,maximum:1*pages,shared:true})', true],
    ['new WebAssembly.Memory({initial:1,maximum:1<<15,shared:true})', true],
    ["new WebAssembly.Memory({'shared':true})", true],
    ['new WebAssembly.Memory({initial:1,maximum:2,shared:false})', false],
    ['new WebAssembly.Memory({initial:1,maximum:2})', false],
  ];
  for (const [script, threads] of rows) {
    assert.equal((await build({ 'a.js': script })).threads, threads, script);
    assert.equal((await build({ 'a.html': `<script>${script}</script>` })).threads, threads);
    assert.equal((await build({ 'a.css': script, 'a.txt': script })).threads, false);
  }
});

test('threads: a shared memory is found behind imports of every kind, and in no module that is torn before', async () => {
  const name = [1, 0x61, 1, 0x62];
  const imports: readonly (readonly number[])[] = [
    [...name, 0, 0],
    [...name, 0, 0x80, 1],
    [...name, 1, 0x70, 0, 1],
    [...name, 1, 0x70, 1, 1, 2],
    [...name, 2, 0, 1],
    [...name, 2, 1, 1, 0x80, 0x80, 2],
    [...name, 3, 0x7f, 0],
    [...name, 4, 0, 0],
  ];
  const moduleOf = (...lists: readonly (readonly number[])[]): Buffer => {
    const body = [lists.length, ...lists.flat()];
    return Buffer.concat([WASM, Buffer.from([2, body.length, ...body])]);
  };
  const shared = [...name, 2, 3, 1, 2];
  const threadsOf = async (bytes: Buffer) => (await build({ 'a.wasm': bytes })).threads;
  for (const one of imports) {
    assert.equal(await threadsOf(moduleOf(one, shared)), true, String(one));
    assert.equal(await threadsOf(moduleOf(one)), false, String(one));
  }
  assert.equal(await threadsOf(moduleOf(...imports, shared)), true);
  assert.equal(await threadsOf(moduleOf(...imports, shared).subarray(0, -3)), false);
  // Of an unknown kind: what follows cannot be read.
  assert.equal(await threadsOf(moduleOf([...name, 9, 3], shared)), false);
  const own = (flags: number): Buffer => Buffer.from([5, 4, 1, flags, 1, 2]);
  assert.equal(await threadsOf(Buffer.concat([moduleOf(...imports), own(3)])), true);
  const custom = Buffer.concat([Buffer.from([0, 0xc8, 1]), Buffer.alloc(200, 9)]);
  assert.equal(await threadsOf(Buffer.concat([WASM, custom, own(3)])), true);
  assert.equal(await threadsOf(Buffer.concat([WASM, own(1)])), false);
  assert.equal(await threadsOf(Buffer.concat([WASM, Buffer.from([5, 1, 0])])), false);
  // Sections stand in order: behind the memory's none is looked at.
  assert.equal(await threadsOf(Buffer.concat([WASM, Buffer.from([6, 1, 0]), own(3)])), false);
});

/** The hosts that one file is said to load from. */
async function hostsOf(path: string, text: string): Promise<readonly string[]> {
  return (await build({ [path]: text })).foreign_hosts;
}

test('isolation: every tag, attribute and rel by which a page loads something foreign', async () => {
  const url = 'https://cdn.example/x';
  const tags = 'script img source audio video iframe embed object track input image use';
  for (const tag of tags.split(' ')) {
    for (const attribute of ['src', 'href', 'data', 'poster', 'srcset', 'SRC']) {
      for (const value of [`"${url}"`, `'${url}'`, url, `"${url} "`]) {
        const page = `<${tag} class=a ${attribute}=${value}>`;
        assert.deepEqual(await hostsOf('a.html', page), ['cdn.example'], page);
      }
    }
  }
  for (const rel of [
    'stylesheet',
    'icon',
    'shortcut icon',
    'preload',
    'modulepreload',
    'prefetch',
  ]) {
    const page = `<link rel="${rel}" href="${url}">`;
    assert.deepEqual(await hostsOf('a.html', page), ['cdn.example'], page);
  }
  assert.deepEqual(await hostsOf('a.html', `<LINK REL=manifest HREF=${url}>`), ['cdn.example']);
  assert.deepEqual(await hostsOf('a.html', `<base href="${url}"><img src="//img.example/a">`), [
    'img.example',
  ]);
  assert.deepEqual(await hostsOf('a.html', `<img srcset="a.png 1x, ${url} 2x">`), ['cdn.example']);
  for (const page of [
    `<link rel="canonical" href="${url}">`,
    `<link href="${url}">`,
    `<a href="${url}">x</a>`,
    `<form action="${url}">`,
    `<meta content="${url}">`,
    `<img alt="${url}" title='${url}'>`,
    '<img src="a//b"><img src="data:image/png;base64,//x/">',
  ]) {
    assert.deepEqual(await hostsOf('a.html', page), [], page);
  }
});

test('isolation: every way by which a style or a script loads something foreign', async () => {
  const at = '//cdn.example:8080/x';
  for (const style of [
    `url(${at})`,
    `url( "https:${at}")`,
    `url('http:${at}')`,
    `@import "${at}"`,
    `@import '${at}'`,
    `@import url(${at})`,
  ]) {
    assert.deepEqual(await hostsOf('a.css', style), ['cdn.example:8080'], style);
    assert.deepEqual(await hostsOf('a.html', `<style>${style}</style>`), ['cdn.example:8080']);
  }
  for (const script of [
    `import "${at}"`,
    `import('https:${at}')`,
    `import x from '${at}'`,
    `export * from "http:${at}"`,
    `importScripts(\`${at}\`)`,
    `fetch("${at}")`,
    `new Worker('https:${at}')`,
    `image.src = "${at}"`,
    `this.load("${at}")`,
    `loader.loadTexture( "${at}")`,
  ]) {
    assert.deepEqual(await hostsOf('a.js', script), ['cdn.example:8080'], script);
    assert.deepEqual(await hostsOf('a.html', `<script>${script}</script>`), ['cdn.example:8080']);
  }
  assert.deepEqual(await hostsOf('a.js', 'fetch("https://CDN.Example/x")'), ['cdn.example']);
  for (const script of [`open("${at}")`, `x = "${at}"`, 'fetch("a//b")', 'fetch("/x")']) {
    assert.deepEqual(await hostsOf('a.js', script), [], script);
  }
});

test('isolation: links, namespaces and comments are nothing foreign; styles, imports and frames are', async () => {
  const own = await build({
    'a.html':
      '<a href="https://example.com">x</a><link rel="canonical" href="https://example.com/x"><svg xmlns="http://www.w3.org/2000/svg"></svg>',
    'a.js': '// see https://threejs.org/docs\nconst ns = "http://www.w3.org/1999/xhtml"',
  });
  assert.deepEqual(own.foreign_hosts, []);
  const foreign = await build({
    'a.css': '@import "//fonts.example/css"; a { background: url(https://img.example/a.png) }',
    'a.js': 'import x from "https://esm.example/x"; importScripts("https://work.example/w.js")',
    'a.html':
      '<iframe src=//frame.example></iframe><link rel=stylesheet href="http://style.example/a.css">',
  });
  assert.deepEqual(foreign.foreign_hosts, [
    'esm.example',
    'fonts.example',
    'frame.example',
    'img.example',
    'style.example',
    'work.example',
  ]);
});

test('warnings: references that differ by case', async () => {
  const wrong = await build({
    'Assets/Hero.png': PNG,
    'css/style.css': 'a { background: url("../assets/hero.png?v=1") }',
    'js/main.js': 'this.load.image("hero", "assets/hero.png"); load(`Assets/Hero.png`)',
    'menu/page.html': '<img src="../Assets/hero.png"><img src="../Assets/Hero.png">',
    'right.css': 'a { background: url(Assets/Hero.png) }',
  });
  assert.deepEqual(warned(wrong), [
    ['reference_case', 'css/style.css'],
    ['reference_case', 'js/main.js'],
    ['reference_case', 'menu/page.html'],
  ]);
  assert.match(wrong.warnings[0]?.message ?? '', /"\.\.\/assets\/hero\.png".*"Assets\/Hero\.png"/);
  const based = await build({
    'a/Hero.png': PNG,
    'b.html': '<base href="a/"><img src="Hero.png">',
  });
  assert.deepEqual(warned(based), []);
  const targeted = await build({
    'Hero.png': PNG,
    'b.html': '<base target="_top"><img src="hero.png">',
  });
  assert.deepEqual(warned(targeted), [['reference_case', 'b.html']]);
});

test('warnings: references that differ by the Unicode form of their accents, not by case', async () => {
  const composed = 'h\u00e9ro.png';
  const apart = 'he\u0301ro.png';
  const cases: [string, string, RegExp][] = [
    [composed, apart, /^The reference is in the form NFC .*the file's name in NFD/],
    [apart, composed, /^The reference is in the form NFD .*the file's name in NFC/],
    ['H\u00e9ro.png', apart, /capital and small letters/],
  ];
  for (const [written, stored, expected] of cases) {
    const wrong = await build({
      [`art/${stored}`]: PNG,
      'a.css': `a { background: url("art/${written}") }`,
      'b.js': `load("art/${written}")`,
    });
    assert.deepEqual(warned(wrong), [
      ['reference_case', 'a.css'],
      ['reference_case', 'b.js'],
    ]);
    for (const { hint } of wrong.warnings) assert.match(hint ?? '', expected);
  }
});

test('warnings: absolute references', async () => {
  const wrong = await build({
    'main.js': 'fetch("/level.json"); fetch("/api/none.json")',
    'level.json': '{}',
    'page.html': '<script src="/main.js"></script><a href="/">home</a>',
    'style.css': 'a { background: url(/none.png) }',
  });
  assert.deepEqual(warned(wrong), [
    ['reference_absolute', 'main.js'],
    ['reference_absolute', 'page.html'],
    ['reference_absolute', 'style.css'],
  ]);
});

test('warnings: secrets, source maps, files that are never served, the folder taken off', async () => {
  const told = await build({
    '.env': 'A=1',
    '.git/config': '[core]',
    '.well-known/x.json': '{}',
    'config.json': '{"key":"-----BEGIN RSA PRIVATE KEY-----"}',
    'ids/server.pem': 'x',
    'main.js.map': '{}',
    'token.js': `const t = "svc_${'a1'.repeat(21)}"`,
  });
  assert.deepEqual(warned(told), [
    ['secret_published', '.env'],
    ['file_not_served', '.env'],
    ['secret_published', '.git/config'],
    ['file_not_served', '.git/config'],
    ['file_not_served', '.well-known/x.json'],
    ['secret_published', 'config.json'],
    ['secret_published', 'ids/server.pem'],
    ['source_map_published', 'main.js.map'],
    ['secret_published', 'token.js'],
  ]);
});

test('warnings: every name of a secret, and no name that only resembles one', async () => {
  const secret: Readonly<Record<string, readonly string[]>> = {
    'an environment file': ['.env', 'a/.env', '.ENV', '.env.local', '.env.production'],
    "a version control's store": ['.git', '.git/config', 'a/.hg/store', '.svn/entries'],
    credentials: [
      ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pypirc', '.netrc', '.git-credentials'],
      ...['.htpasswd', 'a/.npmrc', '.ssh/known_hosts', '.aws/config', '.gnupg/pubring.kbx'],
      ...['.kube/config', '.docker/config.json', 'credentials.json', 'a/credentials.json'],
      ...['serviceaccount.json', 'service-account.json', 'service-account-prod.json'],
      ...['client_secret.json', 'client_secret_1.apps.json'],
    ],
    'a key': [
      ...['a.pem', 'a.key', 'a.p12', 'a.pfx', 'a.jks', 'a.keystore', 'a.ppk', 'a.kdbx', 'A.PFX'],
      ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'a/id_rsa', 'id_ed25519_sk', 'id_rsa_old'],
    ],
  };
  const harmless = [
    ...['.env.example', '.env.sample', '.env.template', 'env', 'a.env', '.envrc', '.environment'],
    ...['.gitignore', '.gitattributes', 'git/a', 'x.git/a', '.npmrc.txt', 'npmrc', 'ssh/a'],
    ...['.awsome/a', 'a.pem.txt', 'key', 'keys/a', 'monkey', 'a.keys', 'id_rsa.pub', 'valid_rsa'],
    ...['id_rsax', 'my-credentials.json', 'credentials.js', 'client_secret.js', 'a.p12x'],
  ];
  for (const [what, paths] of Object.entries(secret)) {
    for (const path of paths) assert.deepEqual(await secretsIn({ [path]: 'x' }), [[path, what]]);
  }
  for (const path of harmless) assert.deepEqual(await secretsIn({ [path]: 'x' }), [], path);
});

test('warnings: every mark of a secret in a text, and no text that only resembles one', async () => {
  const letters = (count: number): string => 'aB3'.repeat(count).slice(0, count);
  const capitals = (count: number): string => 'AB3'.repeat(count).slice(0, count);
  const secret: Readonly<Record<string, readonly string[]>> = {
    'a private key': ['', 'RSA ', 'EC ', 'OPENSSH ', 'DSA ', 'ENCRYPTED ', 'PGP ONE '].map(
      (kind) => `-----BEGIN ${kind}PRIVATE KEY-----`,
    ),
    'an access token of this platform': [`svc_${letters(42)}`],
    'an AWS access key': [`AKIA${capitals(16)}`],
    'a GitHub token': ['p', 'o', 'u', 's', 'r'].map((kind) => `gh${kind}_${letters(36)}`),
    'a Stripe key': [`sk_live_${letters(24)}`, `sk_live_${letters(99)}`],
    'a Slack token': ['a', 'b', 'p'].map((kind) => `xox${kind}-${letters(9)}-${letters(10)}`),
  };
  const harmless = [
    ...['-----BEGIN PUBLIC KEY-----', '-----BEGIN CERTIFICATE-----', '-----END PRIVATE KEY-----'],
    ...[`svc_${letters(41)}`, `svc_${letters(43)}`, `xsvc_${letters(42)}`],
    ...[`AKIA${capitals(15)}`, `AKIA${capitals(17)}`, `AKIA${letters(16)}`, `XAKIA${capitals(16)}`],
    ...[`ghp_${letters(35)}`, `ghp_${letters(37)}`, `ghx_${letters(36)}`],
    ...[`sk_live_${letters(23)}`, `sk_test_${letters(24)}`, `xoxb-${letters(19)}`],
    `xoxz-${letters(20)}`,
  ];
  // Every kind of text is looked through, whatever its language.
  for (const name of ['a.js', 'a.json', 'a.txt', 'a.html', 'a.css', 'a.svg']) {
    assert.equal((await secretsIn({ [name]: `x="AKIA${capitals(16)}"` })).length, 1, name);
  }
  for (const [what, texts] of Object.entries(secret)) {
    for (const text of texts) {
      assert.deepEqual(await secretsIn({ 'a.js': `const k = "${text}";` }), [['a.js', what]], text);
    }
  }
  for (const text of harmless) assert.deepEqual(await secretsIn({ 'a.js': `"${text}"` }), [], text);
});

/** The files in which a secret is seen, and what is said of it. */
async function secretsIn(files: Readonly<Record<string, string>>): Promise<(string | null)[][]> {
  const { warnings } = await build(files);
  return warnings
    .filter(({ code }) => code === 'secret_published')
    .map(({ entry, message }) => {
      return [entry, /(?:looks like|holds what looks like) (.*)\.$/.exec(message)?.[1] ?? null];
    });
}

test('warnings: every kind of source map, and every file below a name that begins with a dot', async () => {
  const built = await build({
    'a.js.map': 'x',
    'a.mjs.map': 'x',
    'a.css.map': 'x',
    'a.wasm.map': 'x',
    'B.JS.MAP': 'x',
    'level.map': 'x',
    'a.json.map': 'x',
    'a.js.map.txt': 'x',
    'b/.hidden': 'x',
    'b/.c/d': 'x',
    'b/..e': 'x',
    'b/e.f': 'x',
  });
  assert.deepEqual(warned(built), [
    ...['B.JS.MAP', 'a.css.map', 'a.js.map', 'a.mjs.map', 'a.wasm.map'].map(
      (path): [string, string] => ['source_map_published', path],
    ),
    ...['b/..e', 'b/.c/d', 'b/.hidden'].map((path): [string, string] => ['file_not_served', path]),
  ]);
});

test('warnings: at most ten of a file and fifty of a build; hosts: the first twenty', async () => {
  const references = (count: number): string =>
    Array.from({ length: count }, (_, i) => `<img src="/none-${i}.png">`).join('');
  assert.equal((await build({ 'a.html': references(10) })).warnings.length, 10);
  assert.equal((await build({ 'a.html': references(11) })).warnings.length, 10);
  // The same reference is reported once.
  assert.equal((await build({ 'a.html': references(3).repeat(9) })).warnings.length, 3);
  const pages = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}.html`, references(10)]));
  assert.equal((await build(pages(5))).warnings.length, 50);
  assert.equal((await build(pages(6))).warnings.length, 50);
  const hosts = Array.from({ length: 21 }, (_, i) => `h${String(i).padStart(2, '0')}.example`);
  const page = hosts.toReversed().map((host) => `<img src="//${host}/a">`);
  assert.deepEqual(await hostsOf('a.html', page.join('')), hosts.slice(0, 20));
});

test('warnings: a script’s path by its last six segments, a page’s by all of them', async () => {
  const path = 'a/b/c/d/e/F/g.png';
  const of = async (script: string) => warned(await build({ [path]: PNG, 'm.js': script }));
  const expected = [['reference_case', 'm.js']];
  for (const written of ['f/g.png', 'b/c/d/e/f/g.png', './e/f/g.png', '../../e/f/g.png']) {
    assert.deepEqual(await of(`load("${written}")`), expected, written);
  }
  for (const written of ['a/b/c/d/e/f/g.png', 'F/g.png', 'e/F/g.png', 'x/f/g.png', 'G.pngx']) {
    assert.deepEqual(await of(`load("${written}")`), [], written);
  }
  const page = await build({ [path]: PNG, 'p.html': '<img src="a/b/c/d/e/f/g.png">' });
  assert.deepEqual(warned(page), [['reference_case', 'p.html']]);
});

test('encoding: what comes out of precompressed files may be exactly as much as is allowed', async () => {
  const files = { 'a.data.gz': gzipSync(Buffer.alloc(300_000)) };
  await build(files, { file_bytes: 300_000 });
  await assert.rejects(build(files, { file_bytes: 299_999 }), { code: 'zip_expansion_limit' });
  await build(files, { expanded_bytes: 300_000 });
  await assert.rejects(build(files, { expanded_bytes: 299_999 }), { code: 'zip_expansion_limit' });
});

test('type: text is UTF-8 where only its end is cut off, and not where it is torn itself', async () => {
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

test('describing hostile text takes time linear in it', async () => {
  const unit = 300_000;
  const hostile: Record<string, string> = {
    'a.html': '<img '.repeat(unit) + '<script src='.repeat(unit / 4),
    'b.html': `<img ${'src = "'.repeat(unit)}`,
    'c.js': `import${' '.repeat(unit)}"`.repeat(4) + '"a.b'.repeat(unit),
    'd.css': 'url('.repeat(unit) + 'url("'.repeat(unit),
    'e.js': `"${'a.'.repeat(unit)}`,
    'f.json': 'A'.repeat(unit) + '-----BEGIN '.repeat(unit / 4),
  };
  assert.equal((await build(hostile)).file_count, 7);
});

test('describing counts four MiB of a text at most, a precompressed one eightfold, and nothing else', () => {
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

test('describing looks through a bounded amount of text, the same on each run', async () => {
  const page = `<img src="/none.png">${' '.repeat(4 << 20)}`;
  const pages = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`p${String(i).padStart(2, '0')}.html`, page]),
  );
  const warnedPages = warned(await build(pages)).map(([, entry]) => entry);
  assert.deepEqual(warnedPages, Object.keys(pages).slice(0, 15));
});
