// The platform as its own process with a development sign-in, and a user who signs in there.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bareEnvironment, type Cleanup, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { ROOT } from '../../scripts/workspaces.ts';

export type PlatformProcess = {
  readonly baseUrl: string;
  readonly issuer: string;
  readonly child: ChildProcess;
  readonly dataDir: string;
};

/** Starts `svc-platform --dev` on a free port. It is stopped at the end of the test. */
export async function startPlatformProcess(
  t: Cleanup,
  env: Readonly<Record<string, string>> = {},
): Promise<PlatformProcess> {
  const home = temporaryFolder(t);
  const dataDir = join(home, 'data');
  mkdirSync(dataDir);
  const main = join(ROOT, 'packages/platform/bin/svc-platform.mjs');
  const args = [main, '--dev', '--port', '0', '--json', '--data-dir', dataDir];
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: bareEnvironment(home, { SVC_RATE_LIMIT: 'off', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += String(chunk);
  });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  });
  const first = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`The platform ended with ${code}: ${output}`)));
  });
  const { base_url: baseUrl, issuer }: { base_url: string; issuer: string } = JSON.parse(first);
  return { baseUrl, issuer, child, dataDir };
}

/** A minimal browser: follows redirects with cookies, and fills in the field of the sign-in page. */
export async function signInAt(address: string, name: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = address;
  let form: URLSearchParams | null = null;
  for (let step = 0; step < 12; step++) {
    const answer: Response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
      ...(form === null ? {} : { method: 'POST', body: form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [key = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      if (value === '') cookies.delete(key);
      else cookies.set(key, value);
    }
    const location = answer.headers.get('location');
    const text = await answer.text();
    form = null;
    if (location !== null) next = new URL(location, next).href;
    else if (/<form/.test(text)) {
      const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1] ?? next;
      next = new URL(action, next).href;
      form = new URLSearchParams({ name });
    } else return text;
  }
  throw new Error('Signing in does not end');
}

/** Waits for the address that a command prints on stderr, and signs in there. Returns the last page. */
export async function signInFor(child: ChildProcess, name: string): Promise<string> {
  return await signInAt(await shownAddress(child), name);
}

/** The address of the sign-in page that `svc` shows. */
export function shownAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr?.on('data', (chunk) => {
      output += String(chunk);
      const found = /^ {2}(http\S+)$/m.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`No address to sign in at: ${output}`)));
  });
}
