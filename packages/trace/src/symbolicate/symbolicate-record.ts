// Replaces the names and places of functions in records.

import { utf8Length } from '../bytes/utf8.ts';
import { LINE_BYTES } from '../format/limits.ts';
import type { LongTaskRecord, StacksRecord } from '../format/records.ts';
import { formatKnownRecord } from '../vpt/format-record.ts';
import {
  type NameAndPlace,
  nameOriginal,
  type OriginalFunction,
  parseFunction,
  parseNamedPosition,
  type TracedFunction,
} from './traced-function.ts';

/** The record types that name functions. */
export type FunctionRecord = StacksRecord | LongTaskRecord;

/** Returns what is known of a function's source, or undefined. */
export type FindOriginal = (traced: TracedFunction) => OriginalFunction | undefined;

/** The functions of a record that may have an original source, with duplicates. */
export function functionsIn(record: FunctionRecord): TracedFunction[] {
  const found =
    record.type === 'stacks'
      ? record.names.map((name, i) => parseFunction({ name, place: record.places?.[i] ?? '' }))
      : (record.scripts ?? []).map(({ name }) => parseNamedPosition(name));
  return found.filter((traced) => traced !== null);
}

/**
 * The lines of the record with the names and places that `find` returns, or null if it has no function that `find` knows. All
 * other keys are kept. A record that becomes too long for a line is written as several.
 */
export function symbolicateRecord(record: FunctionRecord, find: FindOriginal): string | null {
  return record.type === 'stacks' ? symbolicateStacks(record, find) : symbolicateTask(record, find);
}

function symbolicateTask(record: LongTaskRecord, find: FindOriginal): string | null {
  let changed = false;
  const scripts = (record.scripts ?? []).map((script) => {
    const traced = parseNamedPosition(script.name);
    const original = traced === null ? undefined : find(traced);
    if (traced === null || original === undefined) return script;
    changed = true;
    const { name } = nameOriginal(traced, { name: script.name, place: '' }, original);
    return { ...script, name };
  });
  if (!changed) return null;
  const line = formatKnownRecord({ ...record, scripts });
  // The original names are much longer than the short ones only if a source has a hostile path. Then the short ones stay.
  return utf8Length(line) > LINE_BYTES ? null : line;
}

function symbolicateStacks(record: StacksRecord, find: FindOriginal): string | null {
  let changed = false;
  const named = record.names.map((name, i): NameAndPlace => {
    const written = { name, place: record.places?.[i] ?? '' };
    const traced = parseFunction(written);
    const original = traced === null ? undefined : find(traced);
    if (traced === null || original === undefined) return written;
    changed = true;
    return nameOriginal(traced, written, original);
  });
  return changed ? formatStacks(record, named) : null;
}

/** The bytes of a line that names may take. The rest of a record is at most as long as its line was. */
const NAMES_BYTES = LINE_BYTES / 2;

/** The record with other names: one line if they fit, otherwise some names in records before it, whose nodes come later. */
function formatStacks(record: StacksRecord, named: readonly NameAndPlace[]): string {
  const whole = formatKnownRecord(withNames(record, record.first_name, named));
  if (utf8Length(whole) <= LINE_BYTES) return whole;
  const { t, source, first_name, first_node, unit, scale } = record;
  const base = {
    type: 'stacks',
    t,
    ...(source !== undefined && { source }),
    first_name,
    names: [],
    first_node,
    parents: [],
    node_names: [],
    samples: { node: [], weight: [] },
    unit,
    ...(scale !== undefined && { scale }),
  } as const satisfies StacksRecord;
  const lines: string[] = [];
  let next = first_name;
  for (const part of inParts(named)) {
    lines.push(formatKnownRecord(withNames(base, next, part)));
    next += part.length;
  }
  lines.push(formatKnownRecord(withNames(record, next, [])));
  return lines.join('');
}

function withNames(
  record: StacksRecord,
  first_name: number,
  named: readonly NameAndPlace[],
): StacksRecord {
  const places = named.map(({ place }) => place);
  const hasPlaces = record.places !== undefined || places.some((place) => place !== '');
  // The keys stay in their order.
  return {
    ...record,
    first_name,
    names: named.map(({ name }) => name),
    ...(hasPlaces && { places }),
  };
}

/** The names in groups that each fit into a line. */
function* inParts(named: readonly NameAndPlace[]): Generator<readonly NameAndPlace[]> {
  let part: NameAndPlace[] = [];
  let bytes = 0;
  for (const one of named) {
    const own = utf8Length(JSON.stringify(one));
    if (part.length > 0 && bytes + own > NAMES_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(one);
    bytes += own;
  }
  if (part.length > 0) yield part;
}
