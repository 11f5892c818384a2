// Opens an address in the browser. An address with a secret goes through a private file, because `ps` shows command lines.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, win32 } from 'node:path';
import { pathToFileURL } from 'node:url';

const FILE_NAME = /^open-(\d+)\.html$/;

/**
 * Writes a page into `folder` that redirects to `url`. Only the owner can read it. Returns its path. `what` names the target.
 */
export function writeRedirectFile(folder: string, url: string, what: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeStaleFiles(folder);
  const path = join(folder, `open-${process.pid}.html`);
  rmSync(path, { force: true });
  writeFileSync(path, redirectPage(url, what), { mode: 0o600, flag: 'wx' });
  return path;
}

/** Removes the files of processes that were killed before they could remove them. */
function removeStaleFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(FILE_NAME.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid) && !isAlive(pid)) rmSync(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function redirectPage(url: string, what: string): string {
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${address}">
<title>svc: ${what}</title>
<p><a href="${address}">Open ${what}</a></p>
`;
}

/** Asks the desktop to open a page, by the path of its file or its URL. Does not throw and does not wait; without a desktop it does nothing. */
export function openInBrowser(page: string): void {
  const [command, ...args] = openCommand(page);
  try {
    const child = spawn(command, args, { stdio: 'ignore', detached: true });
    child.on('error', () => {});
    child.unref();
  } catch {
    // The address is printed in any case.
  }
}

/** Windows would look for a bare name in the current folder first, where a downloaded game may have put another program. */
const OPENER = 'System32\\rundll32.exe';

/** The program of the system that opens a page, and its arguments. */
export function openCommand(
  page: string,
  platform: string = process.platform,
): [string, ...string[]] {
  if (platform === 'darwin') return ['open', page];
  if (platform === 'win32') {
    const url = /^https?:\/\//i.test(page) ? page : pathToFileURL(page).href;
    const opener = win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', OPENER);
    return [opener, 'url.dll,FileProtocolHandler', url];
  }
  return ['xdg-open', page];
}
