// How much an answer can send to a client that does not read.
import { readFileSync } from 'node:fs';

/** More bytes than the kernel and Node buffer between two sockets on this machine. Linux only. */
export function moreThanSocketBuffers(): number {
  const [sent = 0, received = 0] = ['tcp_wmem', 'tcp_rmem'].map((name) =>
    Number(readFileSync(`/proc/sys/net/ipv4/${name}`, 'latin1').trim().split(/\s+/).at(-1)),
  );
  return sent + received + 4 * 1024 * 1024;
}
