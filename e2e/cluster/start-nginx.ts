// nginx with the configuration of the operator's guide, on other ports and paths.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/workspaces.ts';
import { type Program, startProgram } from './start-program.ts';

const PATH = '/usr/sbin/nginx';
const GUIDE = join(ROOT, 'docs/operations/nginx.conf');

export type Ports = {
  /** Where clients connect. */
  readonly outside: number;
  /** Where the processes of the store reach the API. */
  readonly inside: number;
  readonly redirect: number;
  readonly api: readonly [number, number];
  readonly store: readonly [number, number];
};

/** The reason why nginx is not available, or null. */
export function nginxMissing(): string | null {
  return existsSync(PATH) ? null : 'nginx is not installed';
}

/** Starts nginx with its files in the folder. */
export async function startNginx(folder: string, ports: Ports): Promise<Program> {
  mkdirSync(folder);
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const tls = write('svc-tls.conf', '');
  const guide = replaceAddresses(readFileSync(GUIDE, 'utf8'), [
    ['/etc/nginx/svc-tls.conf', tls],
    ['listen 443 ssl', `listen 127.0.0.1:${ports.outside}`],
    ['listen 80;', `listen 127.0.0.1:${ports.redirect};`],
    ['listen 10.0.0.10:8700', `listen 127.0.0.1:${ports.inside}`],
    ['server 10.0.0.11:8787', `server 127.0.0.1:${ports.api[0]}`],
    ['server 10.0.0.12:8787', `server 127.0.0.1:${ports.api[1]}`],
    ['server 10.0.0.21:8788', `server 127.0.0.1:${ports.store[0]}`],
    ['server 10.0.0.22:8788', `server 127.0.0.1:${ports.store[1]}`],
  ]);
  const site = write('svc.conf', guide);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`);
  const main = write(
    'nginx.conf',
    `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; worker_processes 1; pid ${join(folder, 'pid')}; error_log stderr;
events { worker_connections 512; }
http { access_log off; ${paths.join(' ')} include ${site}; }
`,
  );
  return startProgram({
    name: 'nginx',
    command: [PATH, '-p', folder, '-e', 'stderr', '-c', main],
    env: {},
    // Its workers end with it.
    deathSignal: 'TERM',
    isReady: async () => {
      const address = `http://127.0.0.1:${ports.redirect}/`;
      const answer = await fetch(address, { redirect: 'manual' }).catch(() => null);
      return answer !== null;
    },
  });
}

/** Throws if an address is not in the file, so that the guide and this list stay the same. */
function replaceAddresses(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((now, [from, to]) => {
    if (!now.includes(from)) throw new Error(`${GUIDE} does not contain "${from}"`);
    return now.replaceAll(from, to);
  }, text);
}
