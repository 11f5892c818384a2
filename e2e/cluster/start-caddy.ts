// Caddy with the configuration of the operator's guide, on other ports and without TLS.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guideBlock } from '../operate/code-blocks.ts';
import { replaceTexts } from './replace-texts.ts';
import type { Ports } from './start-nginx.ts';
import { answersOk, type Program, startProgram } from './start-program.ts';

const PATH = '/usr/bin/caddy';

/** The address of which the store sends its requests, in the network of this machine. */
export const STORE_ADDRESS = '127.0.0.2';

/** The reason why Caddy is not available, or null. */
export function caddyMissing(): string | null {
  return existsSync(PATH) ? null : 'Caddy is not installed';
}

/** Starts Caddy with its files in the folder, which must not exist. It is ready when it serves the port `redirect`. */
export async function startCaddy(folder: string, ports: Ports): Promise<Program> {
  mkdirSync(folder);
  const name = 'The Caddyfile';
  const guide = replaceTexts(name, guideBlock('operations.md', 'caddyfile'), [
    ['api.games.example {', `http://api.games.example:${ports.outside} {`],
    ['*.play.games.example {', `http://*.play.games.example:${ports.outside} {`],
    ['www.games.example {', `http://www.games.example:${ports.outside} {`],
    ['http://10.0.0.10:8700 {', `http://127.0.0.1:${ports.inside} {`],
    ['bind 10.0.0.10', 'bind 127.0.0.1'],
    ['trusted_proxies 10.0.0.21 10.0.0.22', `trusted_proxies ${STORE_ADDRESS}`],
    ['10.0.0.11:8787', `127.0.0.1:${ports.api[0]}`],
    ['10.0.0.12:8787', `127.0.0.1:${ports.api[1]}`],
    ['10.0.0.21:8788', `127.0.0.1:${ports.store[0]}`],
    ['10.0.0.22:8788', `127.0.0.1:${ports.store[1]}`],
  ]);
  const file = join(folder, 'Caddyfile');
  const first = '{\n  admin off\n  auto_https off\n  default_bind 127.0.0.1\n}\n';
  const last = `http://127.0.0.1:${ports.redirect} {\n  respond 200\n}\n`;
  writeFileSync(file, `${first}${guide}${last}`);
  return startProgram({
    name: 'caddy',
    command: [PATH, 'run', '--config', file, '--adapter', 'caddyfile'],
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    isReady: () => answersOk(`http://127.0.0.1:${ports.redirect}/`),
  });
}
