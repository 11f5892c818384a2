// nginx with the configuration of the operator's guide, on other ports and paths.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guideFile } from '../operate/guide-file.ts';
import { replaceTexts } from './replace-texts.ts';
import { type Program, startProgram } from './start-program.ts';

const PATH = '/usr/sbin/nginx';
const GUIDE = guideFile('nginx.conf');

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

/** Starts nginx with the guide's configuration and its files in the folder. */
export async function startNginx(folder: string, ports: Ports): Promise<Program> {
  const tls = join(folder, 'svc-tls.conf');
  const guide = replaceTexts(GUIDE, readFileSync(GUIDE, 'utf8'), [
    ['/etc/nginx/svc-tls.conf', tls],
    ['listen 443 ssl http2', `listen 127.0.0.1:${ports.outside}`],
    ['listen 80;', `listen 127.0.0.1:${ports.redirect};`],
    ['listen 10.0.0.10:8700', `listen 127.0.0.1:${ports.inside}`],
    ['server 10.0.0.11:8787', `server 127.0.0.1:${ports.api[0]}`],
    ['server 10.0.0.12:8787', `server 127.0.0.1:${ports.api[1]}`],
    ['server 10.0.0.21:8788', `server 127.0.0.1:${ports.store[0]}`],
    ['server 10.0.0.22:8788', `server 127.0.0.1:${ports.store[1]}`],
  ]);
  mkdirSync(folder);
  writeFileSync(tls, '');
  return startNginxWith(folder, guide, ports.redirect);
}

/** Starts nginx with the configuration of its servers. The folder exists. One of the servers listens on the port. */
export async function startNginxWith(
  folder: string,
  servers: string,
  port: number,
): Promise<Program> {
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const site = write('svc.conf', servers);
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
      const address = `http://127.0.0.1:${port}/`;
      const answer = await fetch(address, { redirect: 'manual' }).catch(() => null);
      return answer !== null;
    },
  });
}
