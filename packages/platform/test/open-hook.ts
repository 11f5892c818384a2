// Opens a platform with the publish hook of `hook-program.ts`, and reads its reports.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../scripts/until.ts';
import { readSettings } from '../src/index.ts';
import { chooseDatabase, type OpenPlatform, openPlatform } from './open-platform.ts';

const PROGRAM = join(import.meta.dirname, 'hook-program.ts');

type HookReport = {
  readonly order: string;
  readonly folder: string;
  readonly pid: number;
  readonly sleeper?: number;
  readonly facts?: unknown;
  readonly files?: readonly {
    readonly path: string;
    readonly mode: string;
    readonly text: string;
  }[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
};

export type Reports = Disposable & {
  /** The setting that names the program. */
  readonly command: string;
  read(): HookReport[];
  /** Waits for the report of an order, and returns it. */
  wait(order: string): Promise<HookReport>;
  /** Lets all programs go on that wait. */
  go(): void;
};

/** Makes a folder for reports. Disposing of it removes it. */
export function openReports(): Reports {
  const folder = mkdtempSync(join(tmpdir(), 'svc-hook-'));
  const read = (): HookReport[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  return {
    command: `${process.execPath} ${PROGRAM} ${folder}`,
    read,
    async wait(order) {
      const [report] = await until(
        () => read().filter((one) => one.order === order),
        (found) => found.length > 0,
        `the hook reports ${order}`,
      );
      return report ?? assert.fail();
    },
    go: () => writeFileSync(join(folder, 'go'), ''),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Opens a platform with these settings beside those of the database. */
export async function openWithSettings(
  environment: Readonly<Record<string, string>>,
): Promise<OpenPlatform> {
  const databaseUrl = await chooseDatabase();
  return await openPlatform({ settings: { ...readSettings(environment), databaseUrl } });
}
