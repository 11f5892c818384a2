// Finds an installed Chrome, Chromium or Edge.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { RecordError } from '../record-error.ts';

/** The parts of the process that decide which browser is found. */
export type Machine = {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Names of the programs on the `PATH` of Linux and other systems. */
const PROGRAMS = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'microsoft-edge',
  'microsoft-edge-stable',
  'google-chrome-beta',
  'google-chrome-unstable',
];

const MAC_APPLICATIONS = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Google Chrome Canary'];

const WINDOWS_PROGRAMS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];

/** The environment variable with the program of the browser, or `none`. */
const VARIABLE = 'SVC_BROWSER';

/**
 * The path of the browser: `option` if it is given, otherwise that of SVC_BROWSER, otherwise the first installed one. Throws a
 * RecordError (`browser_not_found`).
 */
export function findBrowser(option: string | undefined, machine: Machine): string {
  const named = option ?? (machine.env[VARIABLE] || undefined);
  if (named === 'none') {
    throw new RecordError(
      'browser_not_found',
      `The environment variable ${VARIABLE} is "none", so no browser is used.`,
      `Unset ${VARIABLE}, or name the program of Chrome, Chromium or Edge in it.`,
    );
  }
  if (named !== undefined) {
    const path = named.includes('/') || named.includes('\\') ? named : onPath(named, machine);
    if (path !== null && isProgram(path)) return path;
    throw new RecordError(
      'browser_not_found',
      `There is no browser at "${named}".`,
      'Name the program of Chrome, Chromium or Edge, for example --browser /usr/bin/chromium.',
    );
  }
  const found = placesOf(machine).find(isProgram);
  if (found !== undefined) return found;
  throw new RecordError(
    'browser_not_found',
    'No Chrome, Chromium or Edge is installed.',
    'Install one of them, or name its program with --browser PATH.',
  );
}

function placesOf(machine: Machine): string[] {
  const { platform, env } = machine;
  if (platform === 'win32') {
    const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap(
      (name) => env[name] ?? [],
    );
    return WINDOWS_PROGRAMS.flatMap((program) => roots.map((root) => `${root}\\${program}`));
  }
  const programs = PROGRAMS.flatMap((name) => onPath(name, machine) ?? []);
  if (platform !== 'darwin') return programs;
  const roots = ['/Applications', join(env['HOME'] ?? '/', 'Applications')];
  const applications = MAC_APPLICATIONS.flatMap((name) =>
    roots.map((root) => join(root, `${name}.app/Contents/MacOS/${name}`)),
  );
  return [...applications, ...programs];
}

function onPath(name: string, { env }: Machine): string | null {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
