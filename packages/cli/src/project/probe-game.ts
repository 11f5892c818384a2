// Opens a published game as a player's browser would, and says why it would not start.
import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Release } from '@svc/contracts/platform';
import type { Build, BuildFile } from '@svc/game-build';
import type { Network } from '../network/network.ts';

/** One file that was asked for, and what was wrong with the answer; an empty list is fine. */
export type ProbeResult = {
  readonly url: string;
  readonly what: 'index' | 'wasm' | 'media';
  readonly status: number | null;
  readonly faults: readonly string[];
};

const PATIENCE_MS = 30_000;
/** More redirects than these are a loop. */
const MOST_REDIRECTS = 10;
/** A file of a build is never larger; see the platform's limits. */
const ANSWER_BYTES = 1024 * 1024 * 1024;
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
    probe(base, 'index', visit, {}, (answer, body) => [
      ...indexFaults(answer, body, index),
      ...isolationFaults(answer, release.isolation),
    ]),
  ];
  if (wasm !== undefined) {
    probes.push(probe(addressOf(base, wasm), 'wasm', visit, {}, wasmFaults));
  }
  if (media !== undefined) {
    const last = Math.min(RANGE_BYTES, media.bytes) - 1;
    const range = { range: `bytes=0-${last}` };
    if (last >= 0) {
      probes.push(
        probe(addressOf(base, media), 'media', visit, range, (answer, body) =>
          rangeFaults(answer, body, last, media),
        ),
      );
    }
  }
  return await Promise.all(probes);
}

function addressOf(base: string, { path }: BuildFile): string {
  return base + path.split('/').map(encodeURIComponent).join('/');
}

/** How the files are asked for; the signal ends it. */
export type Visit = { readonly network: Network; readonly signal: AbortSignal };

type Judge = (answer: Response, body: Uint8Array) => string[];

async function probe(
  url: string,
  what: ProbeResult['what'],
  { network, signal }: Visit,
  headers: Readonly<Record<string, string>>,
  judge: Judge,
): Promise<ProbeResult> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const answer = await follow(url, headers, { network, signal: limit });
    const body = await decode(answer);
    const good = answer.status === 200 || answer.status === 206;
    const faults = good ? judge(answer, body) : [`it answers ${answer.status}`];
    return { url, what, status: answer.status, faults };
  } catch (error) {
    signal.throwIfAborted();
    const text = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    return { url, what, status: null, faults: [`it can not be reached (${text})`] };
  }
}

/** Asks as a browser does: compressed, and at the address that a redirect leads to. */
async function follow(
  url: string,
  headers: Readonly<Record<string, string>>,
  { network, signal }: Visit,
): Promise<Response> {
  let address = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    // Browsers take Brotli over TLS and from this machine only.
    const accepted = address.startsWith('https:') ? 'br, gzip, deflate' : 'gzip, deflate';
    const answer = await network.send(
      address,
      { headers: { 'accept-encoding': accepted, ...headers }, signal },
      { answer_bytes: ANSWER_BYTES },
    );
    const location = answer.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === null) return answer;
    if (!URL.canParse(location, address)) return answer;
    address = new URL(location, address).href;
  }
  throw new Error('it redirects without an end');
}

/** The body without the encodings that were made for the transfer. */
async function decode(answer: Response): Promise<Uint8Array> {
  let body: Uint8Array = new Uint8Array(await answer.arrayBuffer());
  const encodings = (answer.headers.get('content-encoding') ?? '').toLowerCase().split(',');
  for (const encoding of encodings.map((one) => one.trim()).reverse()) {
    const limits = { maxOutputLength: ANSWER_BYTES };
    if (encoding === 'br') body = brotliDecompressSync(body, limits);
    else if (encoding === 'gzip' || encoding === 'x-gzip') body = gunzipSync(body, limits);
    else if (encoding === 'deflate') body = inflateSync(body, limits);
  }
  return body;
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
  if (answer.status !== 206) return ['it ignores Range, so Safari can not play it'];
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
