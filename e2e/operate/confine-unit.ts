// The restrictions of a unit of systemd for a container, since systemd is not the first process of the machines that run tests.
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/workspaces.ts';
import { serviceValue, type Unit } from './read-unit.ts';
import type { Bind, ContainerOptions, SystemCallRule } from './start-container.ts';

/** What the container does in the same way. Each directive must have this value. */
const APPLIED: Readonly<Record<string, string>> = {
  ProtectSystem: 'strict',
  ProtectHome: 'yes',
  PrivateTmp: 'yes',
  PrivateDevices: 'yes',
  NoNewPrivileges: 'yes',
  RestrictNamespaces: 'yes',
  ProtectControlGroups: 'yes',
  ProtectProc: 'invisible',
  ProcSubset: 'pid',
  SystemCallArchitectures: 'native',
  SystemCallErrorNumber: 'EPERM',
};

/** What only systemd does. */
const ONLY_SYSTEMD: readonly string[] = [
  ...['Type', 'Restart', 'RestartSec', 'TimeoutStartSec', 'TimeoutStopSec', 'KillMode'],
  ...['Nice', 'IOSchedulingClass', 'StateDirectoryMode', 'UMask', 'RemoveIPC', 'PrivateUsers'],
  ...['RestrictSUIDSGID', 'LockPersonality', 'RestrictRealtime', 'AmbientCapabilities'],
  ...['ProtectKernelTunables', 'ProtectKernelModules', 'ProtectKernelLogs', 'ProtectClock'],
  'ProtectHostname',
];

/** What is read here, or by the test. */
const READ: readonly string[] = [
  ...['User', 'ExecStart', 'Environment', 'EnvironmentFile', 'LoadCredential', 'LimitNOFILE'],
  ...['StateDirectory', 'ReadWritePaths', 'CapabilityBoundingSet', 'RestrictAddressFamilies'],
  'SystemCallFilter',
];

const FAMILIES: Readonly<Record<string, number>> = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10 };
/** All flags of `clone` for new namespaces. */
const NEW_NAMESPACES = 0x7e02_0080;
const ENOSYS = 38;

export type Confined = Pick<
  ContainerOptions,
  'root' | 'binds' | 'procOptions' | 'systemCalls' | 'openFiles'
>;

/**
 * Returns a container with the restrictions of the unit. `root` is an empty folder. `folderOf` returns the folder that has the
 * place of a writable one. Throws for a directive that this file does not know.
 */
export function confineUnit(
  unit: Unit,
  { root, folderOf }: { readonly root: string; readonly folderOf: (path: string) => string },
): Confined {
  for (const [key, values] of unit) {
    const [section = '', name = ''] = key.split('.');
    if (section !== 'Service' || ONLY_SYSTEMD.includes(name) || READ.includes(name)) continue;
    const wanted = APPLIED[name];
    if (wanted === undefined || wanted !== values.join(' ')) {
      throw new Error(`The test does not know the directive ${name}=${values.join(' ')}`);
    }
  }
  if (unit.get('Service.CapabilityBoundingSet')?.length !== 0) throw new Error('Capabilities');
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
  mkdirSync(join(root, 'home'));
  const states = (unit.get('Service.StateDirectory') ?? []).map((name) => `/var/lib/${name}`);
  const writable = [...states, ...(unit.get('Service.ReadWritePaths') ?? [])];
  const readable = ['/usr', '/etc', ROOT].map((path): Bind => ({ from: path, to: path }));
  return {
    root,
    binds: [
      ...readable,
      ...writable.map((to): Bind => ({ from: folderOf(to), to, isWritable: true })),
    ],
    procOptions: ['hidepid=invisible', 'subset=pid'],
    systemCalls: systemCallsOf(unit),
    ...(unit.has('Service.LimitNOFILE') && {
      openFiles: Number(serviceValue(unit, 'LimitNOFILE')),
    }),
  };
}

function systemCallsOf(unit: Unit): SystemCallRule[] {
  const [first = '', ...rest] = unit.get('Service.SystemCallFilter') ?? [];
  const allowed = new Set([...expand('@default'), ...first.split(' ').flatMap(expand)]);
  for (const line of rest) {
    if (!line.startsWith('~')) throw new Error(`SystemCallFilter=${line}`);
    for (const name of line.slice(1).split(' ').flatMap(expand)) allowed.delete(name);
  }
  // Those with conditions, and those that make or enter namespaces.
  for (const name of ['socket', 'clone', 'clone3', 'unshare', 'setns']) allowed.delete(name);
  const families = (unit.get('Service.RestrictAddressFamilies') ?? []).join(' ').split(' ');
  return [
    { names: [...allowed], action: 'SCMP_ACT_ALLOW' },
    ...families.map((family): SystemCallRule => {
      const value = FAMILIES[family];
      if (value === undefined) throw new Error(`RestrictAddressFamilies=${family}`);
      const args = [{ index: 0, value, op: 'SCMP_CMP_EQ' as const }];
      return { names: ['socket'], action: 'SCMP_ACT_ALLOW', args };
    }),
    {
      names: ['clone'],
      action: 'SCMP_ACT_ALLOW',
      args: [{ index: 0, value: NEW_NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
    },
    // Its flags are in memory, so no filter can read them. The C library uses `clone` instead.
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
  ];
}

/** The system calls of a set of systemd, or the one with the name. */
function expand(name: string): string[] {
  if (!name.startsWith('@')) return [name];
  const { stdout, status } = spawnSync('systemd-analyze', ['syscall-filter', name], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`There is no set of system calls ${name}`);
  const members = stdout
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
  return members.filter((line) => line !== '' && !line.startsWith('#')).flatMap(expand);
}
