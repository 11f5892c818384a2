// Converts a V8 CPU profile (`.cpuprofile`) to `.vpt` text as it streams. The same input always gives the same bytes.

import type { KnownRecord } from '../format/records.ts';
import type { Conversion } from './conversion.ts';
import { EVENT_BYTES, emitTrace, importHeader, notAProfile } from './conversion.ts';
import { numberOf, parseBytes } from './json-fields.ts';
import { JsonSplitter, type JsonVisitor } from './split-json.ts';
import { V8Profile } from './v8-profile.ts';
import { writeProfiles } from './write-profiles.ts';
import { StacksWriter } from './write-stacks.ts';

const LISTS: ReadonlySet<string> = new Set(['nodes', 'samples', 'timeDeltas']);

/**
 * Call `push` with the bytes, then `finish`, which emits the trace as whole lines. `t` 0 is the start of the profile. Throws
 * TraceError `not_a_profile` if the file has no samples with times. Keeps the nodes and samples in memory.
 */
export class CpuProfileConverter implements JsonVisitor {
  readonly #emit: (text: string) => void;
  readonly #splitter = new JsonSplitter(this, EVENT_BYTES);
  readonly #profile = new V8Profile();
  #unreadable = 0;
  #isOld = false;

  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  finish(): Conversion {
    const torn = this.#splitter.finish() !== 'complete';
    const profile = this.#profile;
    if (profile.samples === 0) throw this.#withoutSamples(torn);
    if (Number.isNaN(profile.start)) profile.start = 0;
    const write = (put: (record: KnownRecord) => void): Conversion => {
      const writer = new StacksWriter(put);
      writeProfiles([{ profile, root: null }], writer, profile.start);
      writer.finish();
      return { torn, unreadable: this.#unreadable + profile.unreadable };
    };
    const empty = () =>
      notAProfile(
        'Cannot read the CPU profile: no function ran in it, the program was always idle. Record it while the program works',
      );
    return emitTrace(this.#emit, importHeader(null), write, empty);
  }

  isList(key: string): boolean {
    return LISTS.has(key);
  }

  element(key: string, bytes: Uint8Array): void {
    if (key === 'nodes') {
      this.#profile.addNode(parseBytes(bytes));
      return;
    }
    const number = integerIn(bytes);
    if (key === 'samples') this.#profile.addSample(number);
    else this.#profile.addDelta(number || 0);
  }

  value(key: string, bytes: Uint8Array): void {
    if (key === 'startTime') this.#profile.start = numberOf(parseBytes(bytes));
    if (key === 'endTime') this.#profile.end = numberOf(parseBytes(bytes));
    if (key === 'head') this.#isOld = true;
  }

  skipped(): void {
    this.#unreadable++;
  }

  #withoutSamples(torn: boolean) {
    const reason = this.#isOld
      ? 'it has the form of Chrome before version 58. Record it again with a later version'
      : torn
        ? 'the file ends before its first samples and their times. Save the profile again'
        : 'it has no samples with times ("samples" and "timeDeltas"). Record it again with Chrome, Node or another program that writes them';
    return notAProfile(`Cannot read the CPU profile: ${reason}`);
  }
}

const ZERO = 48;
const MINUS = 45;

/** The integer in the bytes, without a detour through text if it is short. NaN if it is not a number. */
function integerIn(bytes: Uint8Array): number {
  const start = bytes[0] === MINUS ? 1 : 0;
  if (bytes.length - start > 15 || bytes.length === start) return numberOf(parseBytes(bytes));
  let value = 0;
  for (let i = start; i < bytes.length; i++) {
    const digit = (bytes[i] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return numberOf(parseBytes(bytes));
    value = value * 10 + digit;
  }
  return start === 1 ? -value : value;
}
