// Faults of a published game, by the responses that a player's browser would get.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Build, BuildFile } from '@svc/game-build';
import { NetworkError } from '../../network/network-error.ts';
import { type ProbeResult, probeGame } from './probe-game.ts';

const PAGE = '<!doctype html>';
const WASM = new Uint8Array([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

const file = (path: string, type: string, changes: Partial<BuildFile> = {}): BuildFile =>
  ({ path, type, encoding: null, bytes: 5000, sha256: '', ...changes }) as BuildFile;

const sha256 = createHash('sha256').update(PAGE).digest('hex');
const INDEX = file('index.html', 'text/html', { sha256 });

type Given = {
  readonly files?: readonly BuildFile[];
  readonly isolation?: 'none' | 'require-corp' | 'credentialless';
  readonly playUrl?: string;
  /** The response for an address. By default the valid index. */
  readonly answer?: (address: string, init: RequestInit) => Response | undefined;
};

type Asked = { readonly address: string; readonly range: string | null };

const goodIndex = (headers: Record<string, string> = {}, body: string = PAGE): Response =>
  new Response(body, { headers: { 'content-type': 'text/html; charset=utf-8', ...headers } });

async function probe(given: Given): Promise<{ results: ProbeResult[]; asked: Asked[] }> {
  const asked: Asked[] = [];
  const results = await probeGame(
    given.playUrl ?? 'https://play.example/cats',
    { files: given.files ?? [INDEX] } as unknown as Build,
    { isolation: given.isolation ?? 'none' },
    {
      signal: new AbortController().signal,
      network: {
        async send(address, init) {
          const headers = new Headers(init.headers);
          asked.push({ address, range: headers.get('range') });
          assert.equal(headers.get('authorization'), null);
          return given.answer?.(address, init) ?? goodIndex();
        },
      },
    },
  );
  return { results, asked };
}

const faultsOf = async (given: Given, at = 0): Promise<readonly string[] | undefined> =>
  (await probe(given)).results[at]?.faults;

test('probeGame requests the index, one module, and the start of one sound, at their escaped addresses', async () => {
  const files = [
    file('a/b c#.wasm', 'application/wasm'),
    file('packed.ogg', 'audio/ogg', { encoding: 'gzip' }),
    file('film?.mp4', 'video/mp4', { bytes: 300 }),
    file('x.wasm', 'application/wasm'),
    file('z.ogg', 'audio/ogg'),
    INDEX,
  ];
  for (const playUrl of ['https://play.example/cats', 'https://play.example/cats//']) {
    const { asked, results } = await probe({ files, playUrl });
    assert.deepEqual(asked, [
      { address: 'https://play.example/cats/', range: null },
      { address: 'https://play.example/cats/a/b%20c%23.wasm', range: null },
      { address: 'https://play.example/cats/film%3F.mp4', range: 'bytes=0-299' },
    ]);
    assert.deepEqual(
      results.map(({ what }) => what),
      ['index', 'wasm', 'media'],
    );
  }
  const large = await probe({ files: [file('z.ogg', 'audio/ogg', { bytes: 1025 })] });
  assert.equal(large.asked[1]?.range, 'bytes=0-1023');
  const empty = await probe({ files: [file('z.ogg', 'audio/ogg', { bytes: 0 })] });
  assert.equal(empty.asked.length, 1);
});

test('probeGame reports an index with another type or other bytes, and an empty one', async () => {
  assert.deepEqual(await faultsOf({}), []);
  const other = 'it is not the index.html of this build; a cache may be in between';
  const rows: [answer: Response, files: readonly BuildFile[], faults: string[]][] = [
    [
      goodIndex({ 'content-type': 'text/plain' }),
      [INDEX],
      ['its Content-Type is text/plain, not text/html'],
    ],
    [
      new Response(new TextEncoder().encode(PAGE)),
      [INDEX],
      ['its Content-Type is none, not text/html'],
    ],
    [goodIndex({}, 'x'), [INDEX], [other]],
    [goodIndex({}, ' \n'), [INDEX], ['the page is empty', other]],
    [goodIndex({}, ''), [], ['the page is empty']],
    [goodIndex({}, ' !'), [], []],
    // The server sends packed files of the build unpacked.
    [goodIndex({}, 'x'), [file('index.html', 'text/html', { encoding: 'br' })], []],
    [new Response('', { status: 404 }), [INDEX], ['it answers 404']],
    [new Response('', { status: 500 }), [INDEX], ['it answers 500']],
    [new Response('', { status: 203 }), [INDEX], ['it answers 203']],
  ];
  for (const [answer, files, faults] of rows) {
    assert.deepEqual(await faultsOf({ files, answer: () => answer }), faults);
  }
});

test('probeGame checks the isolation headers if the release is isolated', async () => {
  const opener = { 'cross-origin-opener-policy': 'same-origin' };
  const embedder = (value: string) => ({ 'cross-origin-embedder-policy': value });
  const noOpener = 'the header Cross-Origin-Opener-Policy is missing or wrong';
  const noEmbedder = 'the header Cross-Origin-Embedder-Policy is missing or wrong';
  const rows: [isolation: NonNullable<Given['isolation']>, headers: object, faults: string[]][] = [
    ['none', {}, []],
    ['require-corp', { ...opener, ...embedder('require-corp') }, []],
    ['credentialless', { ...opener, ...embedder('credentialless') }, []],
    ['require-corp', { ...opener, ...embedder('credentialless') }, [noEmbedder]],
    ['require-corp', { ...embedder('require-corp') }, [noOpener]],
    ['credentialless', {}, [noOpener, noEmbedder]],
  ];
  for (const [isolation, headers, faults] of rows) {
    const answer = () => goodIndex({ ...headers });
    assert.deepEqual(await faultsOf({ isolation, answer }), faults);
  }
});

test('probeGame reports a module with another type or without the magic bytes', async () => {
  const files = [INDEX, file('a.wasm', 'application/wasm')];
  const lost = 'the response is not WebAssembly; a proxy may have removed its Content-Encoding';
  const rows: [type: string, body: Uint8Array<ArrayBuffer>, faults: string[]][] = [
    ['application/wasm', WASM, []],
    ['application/wasm', WASM.slice(0, 3), [lost]],
    [
      'application/octet-stream',
      WASM,
      ['its Content-Type is application/octet-stream, not application/wasm'],
    ],
    ...[0, 1, 2, 3].map((at): [string, Uint8Array<ArrayBuffer>, string[]] => [
      'application/wasm',
      WASM.with(at, 0x7f),
      [lost],
    ]),
  ];
  for (const [type, body, faults] of rows) {
    const answer = (address: string) =>
      address.endsWith('.wasm')
        ? new Response(body, { headers: { 'content-type': type } })
        : undefined;
    assert.deepEqual(await faultsOf({ files, answer }, 1), faults);
  }
});

test('probeGame reports a server that ignores Range or returns another range', async () => {
  const files = [INDEX, file('a.ogg', 'audio/ogg', { bytes: 5000 })];
  const part = (status: number, bytes: number, range?: string) =>
    new Response(new Uint8Array(bytes), {
      status,
      headers: range === undefined ? {} : { 'content-range': range },
    });
  const rows: [answer: Response, faults: string[]][] = [
    [part(206, 1024, 'bytes 0-1023/5000'), []],
    [part(200, 5000), ['it ignores Range, so Safari cannot play it']],
    [part(206, 1024), ['the range is wrong: no Content-Range, 1024 bytes']],
    [part(206, 1023, 'bytes 0-1023/5000'), ['the range is wrong: bytes 0-1023/5000, 1023 bytes']],
    [part(206, 1024, 'bytes 0-1023/5001'), ['the range is wrong: bytes 0-1023/5001, 1024 bytes']],
    [part(206, 1024, 'bytes 0-1023/*'), ['the range is wrong: bytes 0-1023/*, 1024 bytes']],
    [part(416, 0), ['it answers 416']],
  ];
  for (const [given, faults] of rows) {
    const answer = (address: string) => (address.endsWith('.ogg') ? given : undefined);
    assert.deepEqual(await faultsOf({ files, answer }, 1), faults);
  }
});

test('probeGame distinguishes unreachable files from faults of the game, and stops when its signal is aborted', async () => {
  const away = () => {
    const extras = { hint: '', sent: false, transient: false };
    throw new NetworkError('tls_failed', 'Cannot reach it.', extras);
  };
  const { results } = await probe({ answer: away });
  assert.deepEqual(results, [
    {
      ...{ url: 'https://play.example/cats/', what: 'index', status: null, faults: [] },
      unchecked: 'Cannot reach it.',
    },
  ]);
  const packed = await faultsOf({ answer: () => goodIndex({ 'content-encoding': 'gzip' }) });
  assert.match(packed?.[0] ?? '', /^its Content-Encoding is gzip, but it cannot be decoded/);
  const stop = new AbortController();
  const network = {
    async send(): Promise<Response> {
      stop.abort(new Error('Enough'));
      throw new Error('cut');
    },
  };
  const visit = { network, signal: stop.signal };
  const build = { files: [INDEX] } as unknown as Build;
  const probing = probeGame('https://play.example', build, { isolation: 'none' }, visit);
  await assert.rejects(probing, new Error('Enough'));
});

test('probeGame waits 30 seconds for a file, and then reports it as not checked', async (t) => {
  const late = new AbortController();
  const waits: number[] = [];
  t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    waits.push(ms);
    return late.signal;
  });
  let isCut = false;
  const answer = (_address: string, { signal }: RequestInit): never => {
    late.abort();
    isCut = signal?.aborted === true;
    throw signal?.reason;
  };
  const { results } = await probe({ answer });
  assert.deepEqual([waits, isCut], [[30_000], true]);
  assert.deepEqual(
    results.map(({ faults, unchecked }) => [faults, unchecked]),
    [[[], 'https://play.example/cats/ did not arrive within 30 s.']],
  );
});
