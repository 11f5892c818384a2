// The parts of a case: a valid index, and one entry with a defect.
import { buildZip, type EntrySpec, type ZipSpec } from '../zip-builder.ts';

export const INDEX: EntrySpec = { name: 'index.html', data: '<!doctype html><title>x</title>' };

export const TEXT: EntrySpec = { name: 'notes.txt', data: 'one '.repeat(100), deflate: true };

/** A valid index and the entry of the case. */
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
