// What happens to the parts of a cluster: each is killed, stopped for longer than a lease, ended, or cut off from what it needs.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FlakyProxy } from '@svc/platform/testing';
import { type Cluster, LEASE_SECONDS } from './open-cluster.ts';
import type { Random } from './random.ts';
import type { Program } from './start-program.ts';

export type Fault = {
  readonly name: string;
  readonly begin: () => void | Promise<void>;
  readonly end: () => void | Promise<void>;
  /** How long it lasts at least, in ms. */
  readonly leastMs: number;
};

type Behaviour = Parameters<FlakyProxy['behave']>[0];

/** All faults of a cluster. */
export function faultsOf(cluster: Cluster, random: Random): Fault[] {
  const { api, store, nginx } = cluster;
  const programs = [...api, ...store, nginx];
  return [
    ...programs.flatMap((program) => [killed(program), stopped(program)]),
    ...[...api, ...store].map(ended),
    ...api.map((program, index) =>
      stoppedInChange(program, cluster.links.apiDatabase[index as 0 | 1]),
    ),
    ...sharedFaults(cluster),
    ...Object.entries(cluster.links).flatMap(([name, proxies]) =>
      proxies.flatMap((proxy, index) => linkFaults(`${name} ${index}`, proxy, random)),
    ),
  ];
}

function killed(program: Program): Fault {
  return {
    name: `${program.name} is killed`,
    begin: () => program.kill(),
    end: () => program.start(),
    leastMs: 500,
  };
}

function stopped(program: Program): Fault {
  return {
    name: `${program.name} is stopped`,
    begin: () => program.signal('SIGSTOP'),
    end: () => program.signal('SIGCONT'),
    leastMs: LEASE_SECONDS * 1_000 + 1_500,
  };
}

/** Its connections to the database are slow, so it is probably stopped in a transaction, and takes a while to find out. */
function stoppedInChange(program: Program, database: FlakyProxy): Fault {
  return {
    name: `${program.name} is stopped in a change`,
    async begin() {
      behave([database], { kind: 'delay', ms: 100 });
      await sleep(1_500);
      program.signal('SIGSTOP');
    },
    async end() {
      program.signal('SIGCONT');
      await sleep(1_000);
      behave([database], { kind: 'pass' });
    },
    leastMs: LEASE_SECONDS * 1_000 + 1_500,
  };
}

function ended(program: Program): Fault {
  return {
    name: `${program.name} is ended and started`,
    begin: () => program.restart(),
    end: () => {},
    leastMs: 0,
  };
}

function sharedFaults({ postgres, ceph, links }: Cluster): Fault[] {
  const database = [...links.apiDatabase, ...links.storeDatabase];
  return [
    {
      name: 'PostgreSQL is killed',
      begin: () => postgres.stop('immediate'),
      end: () => postgres.start(),
      leastMs: 1_500,
    },
    {
      name: 'PostgreSQL hangs',
      begin: () => behave(database, { kind: 'drop' }),
      end: () => behave(database, { kind: 'pass' }),
      leastMs: 2_500,
    },
    {
      name: 'the object store is killed',
      begin: () => ceph.signal('SIGKILL'),
      end: () => ceph.restart(),
      leastMs: 1_500,
    },
    {
      name: 'the object store is stopped',
      begin: () => ceph.signal('SIGSTOP'),
      end: () => ceph.signal('SIGCONT'),
      leastMs: 2_500,
    },
  ];
}

function linkFaults(name: string, proxy: FlakyProxy, random: Random): Fault[] {
  const kinds: Behaviour[] = [
    { kind: 'drop' },
    { kind: 'refuse' },
    { kind: 'delay', ms: 100 + Math.floor(random.next() * 400) },
    { kind: 'truncate', bytes: 200 + Math.floor(random.next() * 60_000) },
  ];
  return kinds.map((fault) => ({
    name: `${name}: ${fault.kind} ${'ms' in fault ? fault.ms : ''}${'bytes' in fault ? fault.bytes : ''}`,
    begin: () => {
      behave([proxy], fault);
      if (fault.kind === 'refuse') proxy.cut();
    },
    end: () => behave([proxy], { kind: 'pass' }),
    leastMs: 1_500,
  }));
}

function behave(proxies: readonly FlakyProxy[], fault: Behaviour): void {
  for (const proxy of proxies) proxy.behave(fault);
}
