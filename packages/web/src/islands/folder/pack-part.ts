// Prepares the bytes of a part for a request: compressed if that helps, with their digest.
import type { Body } from '../send-body.ts';
import { findSubtle, hashBytes } from './hash.ts';

/** A part is sent compressed if that saves a twentieth. */
const WORTH = 0.95;

/** The body and the headers of the request. */
export async function packPart(bytes: Uint8Array<ArrayBuffer>): Promise<Body> {
  const compressed = await compress(bytes);
  const isWorth = compressed !== null && compressed.length < bytes.length * WORTH;
  const body = isWorth ? compressed : bytes;
  return {
    body,
    headers: {
      'content-type': 'application/octet-stream',
      'content-digest': `sha-256=:${toBase64(await hashBytes(body, findSubtle()))}:`,
      ...(isWorth ? { 'content-encoding': 'gzip' } : {}),
    },
  };
}

/** Null if the browser can't compress. */
async function compress(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | null> {
  if (typeof CompressionStream === 'undefined') return null;
  // The stream of a blob has small chunks, so the page stays responsive.
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
