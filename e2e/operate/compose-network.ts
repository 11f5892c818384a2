// A network of containers inside of the network of this process: a bridge, and one end of a cable for each address.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';

const BRIDGE = 'compose0';

export type Network = Disposable & {
  /** The path of the namespace of a new container with the address. */
  readonly join: (address: string) => string;
};

/** Makes the network. `address` is that of this process. */
export function openNetwork(address: string): Network {
  const run = (line: string): void => {
    const [command = '', ...args] = line.split(' ');
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  };
  run('ip link set lo up');
  run(`ip link add ${BRIDGE} type bridge`);
  run(`ip address add ${address}/24 dev ${BRIDGE}`);
  run(`ip link set ${BRIDGE} up`);
  const holders: ChildProcess[] = [];
  return {
    join(own) {
      const holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
      holders.push(holder);
      const { pid } = holder;
      waitForNamespace(pid ?? 0);
      const cable = `cable${holders.length}`;
      run(`ip link add ${cable} type veth peer name eth0 netns ${pid}`);
      run(`ip link set ${cable} master ${BRIDGE} up`);
      const inside = (line: string) => run(`nsenter --target ${pid} --net ${line}`);
      inside('ip link set lo up');
      inside(`ip address add ${own}/24 dev eth0`);
      inside('ip link set eth0 up');
      // As Docker does: a program without privileges may listen on all ports.
      inside('sysctl --quiet --write net.ipv4.ip_unprivileged_port_start=0');
      return `/proc/${pid}/ns/net`;
    },
    [Symbol.dispose]() {
      for (const holder of holders) holder.kill('SIGKILL');
    },
  };
}

/** Waits until the process has a network of its own. */
function waitForNamespace(pid: number): void {
  const script = `until [ "$(readlink /proc/${pid}/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done`;
  execFileSync('sh', ['-c', script], { timeout: 10_000 });
}
