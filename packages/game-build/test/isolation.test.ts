// What a build needs from its page: threads, and resources of other origins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { build, hostsOf, SCRIPT, WASM } from './describe-builds.ts';

/** A module that imports one memory, shared or not, after a function import. */
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

test('the isolation is require-corp if threads are used and no other origin is loaded', async () => {
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

test('creating shared memory or waiting on it counts as threads, and a feature test does not', async () => {
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
    const reported = await build({ 'a.js': script });
    assert.deepEqual([reported.threads, reported.isolation], [false, 'credentialless'], what);
  }
});

test('a Godot page that declares no threads has none', async () => {
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

test('a shared memory of a feature test does not count as threads, and every way to wait or to share does', async () => {
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

test('a shared memory is found after imports of every kind, and not in a module that is cut off before it', async () => {
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
    [...name, 4, 0, 0x80, 1],
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
  // After an unknown kind the rest cannot be read.
  for (const unknown of [[3], [3, 0], [3, 0, 0]]) {
    assert.equal(await threadsOf(moduleOf([...name, 9, ...unknown], shared)), false);
  }
  const own = (flags: number): Buffer => Buffer.from([5, 4, 1, flags, 1, 2]);
  assert.equal(await threadsOf(Buffer.concat([moduleOf(...imports), own(3)])), true);
  const custom = Buffer.concat([Buffer.from([0, 0xc8, 1]), Buffer.alloc(200, 9)]);
  assert.equal(await threadsOf(Buffer.concat([WASM, custom, own(3)])), true);
  assert.equal(await threadsOf(Buffer.concat([WASM, own(1)])), false);
  assert.equal(await threadsOf(Buffer.concat([WASM, Buffer.from([5, 1, 0])])), false);
  // Sections are in order. None after the memory section is read.
  assert.equal(await threadsOf(Buffer.concat([WASM, Buffer.from([6, 1, 0]), own(3)])), false);
});

test('every tag, attribute and rel that loads from another origin is found', async () => {
  const url = 'https://cdn.example/x';
  const tags = 'script img source audio video iframe embed object track input image use';
  for (const tag of tags.split(' ')) {
    for (const attribute of ['src', 'href', 'data', 'poster', 'srcset', 'SRC']) {
      for (const value of [`"${url}"`, `'${url}'`, url, `" ${url} "`]) {
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

test('every way to load from another origin in a style or a script is found', async () => {
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
  assert.deepEqual(await hostsOf('a.css', `a { background: blurl(${at}) }`), []);
  assert.deepEqual(await hostsOf('a.js', `upload("${at}"); refetch("${at}")`), []);
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

test('links, namespaces and comments do not load from another origin, and styles, imports and frames do', async () => {
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

test('a shared memory is found in the first MiB of a module, also of a precompressed one', async () => {
  const behind = (bytes: number): Buffer => {
    const size = Buffer.from([0x80 | (bytes & 0x7f), 0x80 | ((bytes >> 7) & 0x7f), bytes >> 14]);
    const custom = Buffer.concat([Buffer.from([0]), size, Buffer.alloc(bytes, 7)]);
    return Buffer.concat([WASM, custom, Buffer.from([5, 4, 1, 3, 1, 2])]);
  };
  for (const bytes of [200_000, 1_000_000]) {
    const module = behind(bytes);
    assert.equal((await build({ 'a.wasm': module })).threads, true);
    assert.equal((await build({ 'a.wasm.br': brotliCompressSync(module) })).threads, true);
  }
});

test('a number without an end in a module is not an error', async () => {
  const endless = Buffer.concat([WASM, Buffer.from([2]), Buffer.alloc(64, 0x80)]);
  const { threads, files } = await build({ 'a.wasm': endless });
  assert.deepEqual([threads, files[0]?.type], [false, 'application/wasm']);
});
