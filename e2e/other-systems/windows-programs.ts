// Programs and pipes of a Windows that has this machine's programs.
import child from 'node:child_process';
import net from 'node:net';
import { join } from 'node:path';
import type { Call, Exports } from './simulate-windows.ts';
import { toHostPath } from './windows-paths.ts';

const POWERSHELL = join(import.meta.dirname, 'powershell-program.ts');
const STARTERS = ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'fork'] as const;

/** `node:child_process`, whose programs start in folders of this machine, those of Node with these options. PowerShell is a stand-in. */
export function programsWith(nodeOptions: readonly string[]): Exports {
  const starters = STARTERS.map((name) => [
    name,
    (...given: unknown[]) => (child[name] as Call)(...startOf(given, nodeOptions)),
  ]);
  return { ...child, ...Object.fromEntries(starters) };
}

/** The arguments of a start: the program, its arguments, the options, and a callback. */
function startOf(given: readonly unknown[], nodeOptions: readonly string[]): unknown[] {
  const [program, ...more] = given;
  const own = Array.isArray(more[0]) ? (more.shift() as unknown[]).map(hostArgument) : [];
  const options = typeof more[0] === 'object' && more[0] !== null ? (more.shift() as Exports) : {};
  const env = Object.entries(options['env'] ?? process.env);
  const converted = Object.fromEntries(env.map(([name, value]) => [name, hostArgument(value)]));
  const cwd = 'cwd' in options && { cwd: hostArgument(options['cwd']) };
  const rest = [{ ...options, ...cwd, env: converted }, ...more];
  if (String(program).endsWith('\\powershell.exe'))
    return [process.execPath, [POWERSHELL, ...own], ...rest];
  return [
    hostArgument(program),
    program === process.execPath ? [...nodeOptions, ...own] : own,
    ...rest,
  ];
}

/** Programs of this machine take its paths. */
function hostArgument(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith('C:\\') ? toHostPath(value) : value;
}

/** `node:net`, with named pipes as sockets of this machine that leave nothing on the disk. */
export const pipes: Exports = {
  ...net,
  connect: (where: unknown, ...more: unknown[]) => (net.connect as Call)(addressOf(where), ...more),
  createServer: (...given: []) => {
    const server = net.createServer(...given);
    const listen = server.listen.bind(server) as Call;
    return Object.assign(server, {
      listen: (where: unknown, ...more: unknown[]) => listen(addressOf(where), ...more),
    });
  },
};

const PIPE = '\\\\.\\pipe\\';

/** An address with the name of a pipe, or any other address. Windows has no other names of sockets. */
function addressOf(where: unknown): unknown {
  if (typeof where === 'object' && where !== null && 'path' in where)
    return { ...where, path: addressOf(where.path) };
  if (typeof where !== 'string') return where;
  if (where.startsWith(PIPE)) return `\0pipe-${where.slice(PIPE.length)}`;
  throw Object.assign(new Error(`EACCES: permission denied ${where}`), { code: 'EACCES' });
}
