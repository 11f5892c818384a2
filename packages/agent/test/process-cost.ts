// What work cost an agent in a separate process, as the kernel counts it. Other programs that keep
// the machine busy don't count.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AgentProcess } from './harness.ts';

/** Ticks of `/proc/PID/stat`, on every Linux that Node supports. */
const TICKS_PER_S = 100;

/** CPU seconds of a process with all its threads, and its resident memory: now, and its maximum. */
export type ProcessCost = {
  readonly cpuS: number;
  readonly nowMiB: number;
  readonly peakMiB: number;
};

export function costOf(pid: number): ProcessCost {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const mib = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
  return {
    cpuS: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S,
    nowMiB: mib('VmRSS'),
    peakMiB: mib('VmHWM'),
  };
}

/** Imports the blocks as one body with its length. Returns status and text. */
export async function upload(
  { listening }: Pick<AgentProcess, 'listening'>,
  bytes: number,
  blocks: () => Iterable<Buffer>,
): Promise<{ status: number; text: string }> {
  const answer = Promise.withResolvers<{ status: number; text: string }>();
  const sending = request(
    {
      host: '127.0.0.1',
      port: listening.port,
      method: 'POST',
      path: '/api/trace',
      headers: { authorization: `Bearer ${listening.token}`, 'content-length': bytes },
    },
    async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      answer.resolve({
        status: response.statusCode ?? 0,
        text: Buffer.concat(chunks).toString(),
      });
    },
  );
  sending.on('error', answer.reject);
  void pipeline(Readable.from(blocks(), { objectMode: false }), sending).catch(() => {});
  return await answer.promise;
}
