// Whether the trace format changed so that old files are not read by new programs, or new files by old programs.
import type { Change } from './compare-schemas.ts';

export type Format = {
  /** The value of `vpt` in the first line. */
  readonly version: number;
  readonly limits: Readonly<Record<string, number>>;
  /** Type of each record → the kind of each field. The name of an optional field ends in `?`. */
  readonly records: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/** Returns the changes from one format to the other that need another value of `vpt`. */
export function compareFormats(before: Format, after: Format): Change[] {
  return [
    // A smaller limit rejects old files. With a larger one, new files are rejected by old programs.
    ...Object.entries(before.limits).flatMap(([name, limit]) => {
      const now = after.limits[name] ?? 'unlimited';
      return now === limit ? [] : [{ where: name, what: `is ${now}, not ${limit}` }];
    }),
    ...Object.entries(before.records).flatMap(([type, fields]) => {
      const now = after.records[type];
      if (now === undefined) return [{ where: `record ${type}`, what: 'is gone' }];
      return compareRecords(fields, now, `record ${type}`);
    }),
  ];
}

type Fields = Readonly<Record<string, string>>;

function compareRecords(before: Fields, after: Fields, where: string): Change[] {
  const plain = (name: string): string => name.replace(/\?$/, '');
  const find = (fields: Fields, name: string): [string, string] | undefined =>
    Object.entries(fields).find(([other]) => plain(other) === plain(name));
  const changes = Object.entries(before).flatMap(([name, kind]): Change[] => {
    const at = `${where}: ${plain(name)}`;
    const found = find(after, name);
    if (found === undefined) return [{ where: at, what: 'is gone' }];
    const [next, now] = found;
    return [
      ...(now === kind ? [] : [{ where: at, what: `is of the kind ${now}, not ${kind}` }]),
      ...(name.endsWith('?') === next.endsWith('?')
        ? []
        : [{ where: at, what: next.endsWith('?') ? 'can be absent' : 'is required now' }]),
    ];
  });
  const added = Object.keys(after).filter(
    (name) => !name.endsWith('?') && find(before, name) === undefined,
  );
  return [
    ...changes,
    ...added.map((name) => ({ where: `${where}: ${name}`, what: 'is required now' })),
  ];
}
