// Opens a published game as a player's browser does, and reports why it would not start.
import { createHash } from 'node:crypto';
import type { Release } from '@svc/contracts/platform';
import type { BuildDescription, BuildFile } from '@svc/game-build';
import {
  decodeBody,
  fetchGameFile,
  GameFaultError,
  type GameFile,
  type Visit,
} from './fetch-game-file.ts';

/** One requested file, and what was wrong with the response. */
export type ProbeResult = {
  readonly url: string;
  readonly what: 'index' | 'wasm' | 'media';
  readonly status: number | null;
  /** The faults that players would meet. */
  readonly faults: readonly string[];
  /** Why this machine could not check the file. Null if it was checked. */
  readonly unchecked: string | null;
};

const FETCH_LIMIT_MS = 30_000;
const RANGE_BYTES = 1024;
/** This character and all before it are invisible. */
const SPACE = 0x20;

/**
 * Requests the index, one WebAssembly module, and a range of one audio or video file. Sends no credential. `playUrl` is the
 * address from the platform.
 */
export async function probeGame(
  playUrl: string,
  build: BuildDescription,
  release: Pick<Release, 'isolation'>,
  { network, signal }: Visit,
): Promise<ProbeResult[]> {
  const visit = { network, signal };
  const base = playUrl.replace(/\/*$/, '/');
  const index = build.files.find((file) => file.path === 'index.html');
  const wasm = build.files.find((file) => file.type === 'application/wasm');
  const media = build.files.find(
    (file) => /^(audio|video)\//.test(file.type) && file.encoding === null,
  );
  const probes: Promise<ProbeResult>[] = [
    probe({ url: base, what: 'index' }, visit, (answer, body) => [
      ...indexFaults(answer, body, index),
      ...isolationFaults(answer, release.isolation),
    ]),
  ];
  if (wasm !== undefined) {
    probes.push(probe({ url: addressOf(base, wasm), what: 'wasm' }, visit, wasmFaults));
  }
  if (media !== undefined) {
    const last = Math.min(RANGE_BYTES, media.bytes) - 1;
    const target = {
      url: addressOf(base, media),
      what: 'media',
      range: `bytes=0-${last}`,
    } as const;
    if (last >= 0) {
      probes.push(probe(target, visit, (answer, body) => rangeFaults(answer, body, last, media)));
    }
  }
  return await Promise.all(probes);
}

function addressOf(base: string, { path }: BuildFile): string {
  return base + path.split('/').map(encodeURIComponent).join('/');
}

type Target = GameFile & Pick<ProbeResult, 'what'>;

type Judge = (answer: Response, body: Uint8Array) => string[];

async function probe(target: Target, visit: Visit, judge: Judge): Promise<ProbeResult> {
  const { url, what } = target;
  const late = AbortSignal.timeout(FETCH_LIMIT_MS);
  try {
    const signal = AbortSignal.any([visit.signal, late]);
    const answer = await fetchGameFile(target, { ...visit, signal });
    const good = answer.status === 200 || answer.status === 206;
    const faults = good ? judge(answer, await decodeBody(answer)) : [`it answers ${answer.status}`];
    return { url, what, status: answer.status, faults, unchecked: null };
  } catch (error) {
    visit.signal.throwIfAborted();
    if (error instanceof GameFaultError) {
      return { url, what, status: null, faults: [error.message], unchecked: null };
    }
    const unchecked = late.aborted
      ? `${url} did not arrive within ${FETCH_LIMIT_MS / 1000} s.`
      : error instanceof Error
        ? error.message
        : String(error);
    return { url, what, status: null, faults: [], unchecked };
  }
}

function indexFaults(answer: Response, body: Uint8Array, index: BuildFile | undefined): string[] {
  const faults = typeFaults(answer, 'text/html');
  if (body.every((byte) => byte <= SPACE)) faults.push('the page is empty');
  const hash = createHash('sha256').update(body).digest('hex');
  if (index !== undefined && index.encoding === null && hash !== index.sha256) {
    faults.push('it is not the index.html of this build; a cache may be in between');
  }
  return faults;
}

/** Browsers compile WebAssembly during the download only with the type application/wasm. */
function wasmFaults(answer: Response, body: Uint8Array): string[] {
  const faults = typeFaults(answer, 'application/wasm');
  const [a, b, c, d] = body;
  if (a !== 0x00 || b !== 0x61 || c !== 0x73 || d !== 0x6d) {
    faults.push('the response is not WebAssembly; a proxy may have removed its Content-Encoding');
  }
  return faults;
}

/** Safari plays audio and video only from servers that support ranges. */
function rangeFaults(answer: Response, body: Uint8Array, last: number, file: BuildFile): string[] {
  if (answer.status !== 206) return ['it ignores Range, so Safari cannot play it'];
  const wanted = `bytes 0-${last}/${file.bytes}`;
  const range = answer.headers.get('content-range');
  return range === wanted && body.length === last + 1
    ? []
    : [`the range is wrong: ${range ?? 'no Content-Range'}, ${body.length} bytes`];
}

function typeFaults(answer: Response, wanted: string): string[] {
  const type = answer.headers.get('content-type') ?? 'none';
  return type.split(';')[0]?.trim() === wanted
    ? []
    : [`its Content-Type is ${type}, not ${wanted}`];
}

/** Threads need a cross-origin isolated page. */
function isolationFaults(answer: Response, isolation: Release['isolation']): string[] {
  if (isolation === 'none') return [];
  const opener = answer.headers.get('cross-origin-opener-policy');
  const embedder = answer.headers.get('cross-origin-embedder-policy');
  return [
    ...(opener === 'same-origin'
      ? []
      : ['the header Cross-Origin-Opener-Policy is missing or wrong']),
    ...(embedder === isolation
      ? []
      : ['the header Cross-Origin-Embedder-Policy is missing or wrong']),
  ];
}
