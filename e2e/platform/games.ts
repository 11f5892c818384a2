// A build for the play tests: a game with threads in handwritten WebAssembly, with saved data and precompressed files.
import zlib from 'node:zlib';

/**
 * (module (import "env" "mem" (memory 1 1 shared)) (func (export "run") (param i32))), byte by byte. `run(n)` adds 1 to
 * the word at address 0 n times with i32.atomic.rmw.add.
 */
const COUNTER_WASM = Buffer.from(
  [
    '0061736d01000000',
    '0105016001' + '7f00',
    '020d0103656e76036d656d02030101',
    '03020100',
    '070701' + '0372756e' + '0000',
    '0a190117' +
      '00' +
      '0340' +
      '4100' +
      '4101' +
      'fe1e0200' +
      '1a' +
      '2000' +
      '4101' +
      '6b' +
      '2200' +
      '0d00' +
      '0b' +
      '0b',
  ].join(''),
  'hex',
);

const WORKER = `
onmessage = async ({ data: { module, memory, first } }) => {
  const words = new Int32Array(memory.buffer);
  const { exports } = await WebAssembly.instantiate(module, { env: { mem: memory } });
  if (first) {
    exports.run(50000);
    Atomics.store(words, 1, 1);
    Atomics.notify(words, 1);
  } else {
    Atomics.wait(words, 1, 0);
    exports.run(50000);
    postMessage(Atomics.load(words, 0));
  }
};`;

/** A build whose page shows the game, another page of the build, in a frame. */
export const FRAMED_GAME: Readonly<Record<string, string>> = {
  'index.html': '<!doctype html><title>Wrapper</title><iframe src="game/index.html"></iframe>',
  'game/index.html': '<!doctype html><title>Game</title><p id="inner">playing</p>',
};

const MAIN = `
const show = (id, text) => { document.getElementById(id).textContent = text; };
show('isolated', String(crossOriginIsolated));
const saves = Number(localStorage.getItem('saves') ?? 0) + 1;
localStorage.setItem('saves', String(saves));
show('saves', String(saves));
try {
  const module = await WebAssembly.compileStreaming(fetch('build/counter.wasm.br'));
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  for (const first of [false, true]) {
    const worker = new Worker('worker.js');
    worker.onmessage = ({ data }) => show('total', String(data));
    worker.onerror = (event) => show('total', 'worker: ' + event.message);
    worker.postMessage({ module, memory, first });
  }
} catch (error) {
  show('total', String(error));
}
const unity = await fetch('build/data.unityweb');
show('unity', await unity.text());
`;

/** The files of the game. Its page shows the version. */
export function threadsGame(version: string): Record<string, string | Uint8Array> {
  const line = (id: string): string => `<p id="${id}"></p>`;
  const page = ['isolated', 'saves', 'total', 'unity'].map(line).join('');
  return {
    'index.html': `<!doctype html><meta charset="utf-8"><title>Threads</title><h1>${version}</h1>${page}<script type="module" src="main.js"></script>`,
    'main.js': MAIN,
    'worker.js': WORKER,
    'build/counter.wasm.br': zlib.brotliCompressSync(COUNTER_WASM),
    'build/data.unityweb': unityGzip(Buffer.from('unity data')),
  };
}

/** A gzip file as Unity writes it, with a comment in its header (RFC 1952, §2.3) that loaders check. */
function unityGzip(bytes: Buffer): Buffer {
  const plain = zlib.gzipSync(bytes);
  const head = Buffer.from(plain.subarray(0, 10));
  head[3] = 0x10;
  const comment = Buffer.from('UnityWeb Compressed Content (gzip)\0', 'latin1');
  return Buffer.concat([head, comment, plain.subarray(10)]);
}
