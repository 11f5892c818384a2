// What is said of each file, decided by its bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
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

test('type: every ending that games ship', async () => {
  const types: Record<string, string> = {
    'a.html': 'text/html; charset=utf-8',
    'a.js': 'text/javascript; charset=utf-8',
    'a.mjs': 'text/javascript; charset=utf-8',
    'B.JS': 'text/javascript; charset=utf-8',
    'a.css': 'text/css; charset=utf-8',
    'a.json': 'application/json',
    'a.webmanifest': 'application/manifest+json',
    'a.glb': 'model/gltf-binary',
    'a.gltf': 'model/gltf+json',
    'a.ktx2': 'image/ktx2',
    'a.svg': 'image/svg+xml',
    'a.ogg': 'audio/ogg',
    'a.opus': 'audio/ogg',
    'a.mp3': 'audio/mpeg',
    'a.m4a': 'audio/mp4',
    'a.wav': 'audio/wav',
    'a.webm': 'video/webm',
    'a.mp4': 'video/mp4',
    'a.woff2': 'font/woff2',
    'a.ttf': 'font/ttf',
    'a.pck': 'application/octet-stream',
    'a.data': 'application/octet-stream',
    'a.unity3d': 'application/octet-stream',
    'a.unknown': 'application/octet-stream',
    noending: 'application/octet-stream',
    'a.zip': 'application/zip',
  };
  const { files } = await build(Object.fromEntries(Object.keys(types).map((path) => [path, 'x'])));
  for (const file of files) {
    if (file.path !== 'index.html') assert.equal(file.type, types[file.path], file.path);
  }
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

test('describing looks through a bounded amount of text, the same on each run', async () => {
  const page = `<img src="/none.png">${' '.repeat(4 << 20)}`;
  const pages = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`p${String(i).padStart(2, '0')}.html`, page]),
  );
  const warnedPages = warned(await build(pages)).map(([, entry]) => entry);
  assert.deepEqual(warnedPages, Object.keys(pages).slice(0, 15));
});
