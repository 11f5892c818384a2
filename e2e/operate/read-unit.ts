// Reads a unit of systemd: https://www.freedesktop.org/software/systemd/man/252/systemd.syntax.html
import { readFileSync } from 'node:fs';

/** The values of each directive in their order, as `Service.ExecStart`. An empty value removes those before it. */
export type Unit = ReadonlyMap<string, readonly string[]>;

/** Reads the file of a unit. Throws if a line is neither a section, a directive, a comment nor empty. */
export function readUnit(path: string): Unit {
  const unit = new Map<string, string[]>();
  let section = '';
  for (const line of readFileSync(path, 'utf8').replaceAll('\\\n', ' ').split('\n')) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    const header = /^\[(\w+)\]$/.exec(line)?.[1];
    if (header !== undefined) {
      section = header;
      continue;
    }
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`${path}: not a directive: ${line}`);
    const key = `${section}.${name}`;
    const before = unit.get(key) ?? [];
    unit.set(key, value.trim() === '' ? [] : [...before, value.trim()]);
  }
  return unit;
}

/** The last value of a directive of the service. Throws if there is none. */
export function serviceValue(unit: Unit, name: string): string {
  const value = unit.get(`Service.${name}`)?.at(-1);
  if (value === undefined) throw new Error(`The unit has no ${name}=`);
  return value;
}

/** Reads a file of `NAME=VALUE` lines, as `EnvironmentFile=` names it. */
export function readEnvironmentFile(path: string): Record<string, string> {
  const lines = readFileSync(path, 'utf8').split('\n');
  return Object.fromEntries(
    lines
      .filter((line) => !/^\s*(?:[#;]|$)/.test(line))
      .map((line) => {
        const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
        if (name === undefined || value === undefined) throw new Error(`${path}: ${line}`);
        return [name, value];
      }),
  );
}
