// Opens a published game as a player's browser would, and says why it would not start.
import { createHash } from 'node:crypto';
import type { Release } from '@svc/contracts/platform';
import type { Build, BuildFile } from '@svc/game-build';
import {
  decodeBody,
  fetchGameFile,
  GameFaultError,
  type GameFile,
  type Visit,
} from './fetch-game-file.ts';

/** One file that was asked for, and what was wrong with the answer. */
export type ProbeResult = {
  readonly url: string;
  readonly what: 'index' | 'wasm' | 'media';
  readonly status: number | null;
  /** What keeps players from it; empty where it is fine. */
  readonly faults: readonly string[];
  /** Why it could not be checked from this machine; null where it was. It says nothing about players. */
  readonly unchecked: string | null;
};

const PATIENCE_MS = 30_000;
const RANGE_BYTES = 1024;
/** This character and those before it show nothing. */
const SPACE = 0x20;

/**
 * Asks for the index, one WebAssembly module, and a range of one audio or video file. No credential is sent.
 * `playUrl` is the address that the platform gave.
 */
export async function probeGame(
  playUrl: string,
  build: Build,
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
  const late = AbortSignal.timeout(PATIENCE_MS);
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
      ? `${url} did not arrive within ${PATIENCE_MS / 1000} s.`
      : error instanceof Error
        ? error.message
        : String(error);
    return { url, what, status: null, faults: [], unchecked };
  }
}

function indexFaults(answer: Response, body: Uint8Array, index: BuildFile | undefined): string[] {
  const faults = typeFaults(answer, 'text/html');
  if (body.every((byte) => byte <= SPACE)) faults.push('it is empty: there is nothing to start');
  const hash = createHash('sha256').update(body).digest('hex');
  if (index !== undefined && index.encoding === null && hash !== index.sha256) {
    faults.push('it is not the index.html of this build (is a cache in between?)');
  }
  return faults;
}

/** WebAssembly is compiled while it streams only with its own type. */
function wasmFaults(answer: Response, body: Uint8Array): string[] {
  const faults = typeFaults(answer, 'application/wasm');
  const [a, b, c, d] = body;
  if (a !== 0x00 || b !== 0x61 || c !== 0x73 || d !== 0x6d) {
    faults.push('what arrives is no WebAssembly (is its Content-Encoding lost on the way?)');
  }
  return faults;
}

/** Safari plays no sound and no video without ranges. */
function rangeFaults(answer: Response, body: Uint8Array, last: number, file: BuildFile): string[] {
  if (answer.status !== 206) return ['it ignores Range, so Safari cannot play it'];
  const wanted = `bytes 0-${last}/${file.bytes}`;
  const told = answer.headers.get('content-range');
  return told === wanted && body.length === last + 1
    ? []
    : [`its range is wrong: ${told ?? 'no Content-Range'}, ${body.length} bytes`];
}

function typeFaults(answer: Response, wanted: string): string[] {
  const type = answer.headers.get('content-type') ?? 'none';
  return type.split(';')[0]?.trim() === wanted
    ? []
    : [`its Content-Type is ${type}, not ${wanted}`];
}

/** Threads need a page that is cross-origin isolated. */
function isolationFaults(answer: Response, isolation: Release['isolation']): string[] {
  if (isolation === 'none') return [];
  const opener = answer.headers.get('cross-origin-opener-policy');
  const embedder = answer.headers.get('cross-origin-embedder-policy');
  return [
    ...(opener === 'same-origin' ? [] : ['the header Cross-Origin-Opener-Policy is lost']),
    ...(embedder === isolation ? [] : ['the header Cross-Origin-Embedder-Policy is lost']),
  ];
}
