// What the cases are made of: an honest index, and one thing that is not.
import { buildZip, type EntrySpec, type ZipSpec } from '../zip-builder.ts';

export const INDEX: EntrySpec = { name: 'index.html', data: '<!doctype html><title>x</title>' };

export const TEXT: EntrySpec = { name: 'notes.txt', data: 'one '.repeat(100), deflate: true };

/** An honest index and the one entry that a case is about. */
export function withEntry(entry: EntrySpec, zip: ZipSpec = {}): () => Buffer {
  return () => buildZip([INDEX, entry], zip);
}

export function named(name: string | Buffer): () => Buffer {
  return withEntry({ name, data: 'x' });
}

export function honest(zip: ZipSpec): () => Buffer {
  return () => buildZip([INDEX, TEXT], zip);
}

export const JUNK = Buffer.from('#!/bin/sh\necho hello\n');
