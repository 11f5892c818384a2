// Stands in for osascript: runs the script of `-e` with the objects of macOS that it uses.
import { writeSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { readTarget } from './read-target.ts';
import { TICKS_PER_MS } from './sysctl-program.ts';

const [script = '', ...scriptArguments] = process.argv.slice(process.argv.indexOf('-e') + 1);

/** Fills the structure rusage_info_v0. Returns -1 if there is no such process. */
function proc_pid_rusage(pid: number, flavor: number, info: Buffer): number {
  const reading = readTarget(pid);
  if (reading === null || flavor !== 0) return -1;
  info.writeBigUInt64LE(BigInt(Math.round(reading.userMs * TICKS_PER_MS)), 16);
  info.writeBigUInt64LE(BigInt(Math.round(reading.systemMs * TICKS_PER_MS)), 24);
  info.writeBigUInt64LE(BigInt(reading.rssBytes), 64);
  info.writeBigUInt64LE(BigInt(reading.started), 80);
  info.writeBigUInt64LE(reading.hasExited ? 1n : 0n, 88);
  return 0;
}

const bound = new Map<string, unknown>();
const wrap = (text: string) => ({
  dataUsingEncoding: (encoding: number) => Buffer.from(text, encoding === 4 ? 'utf8' : 'latin1'),
});
const objects = Object.assign(wrap, {
  NSUTF8StringEncoding: 4,
  NSMutableData: {
    dataWithLength: (length: number) => {
      const mutableBytes = Buffer.alloc(length);
      return {
        mutableBytes,
        base64EncodedStringWithOptions: () => ({ js: mutableBytes.toString('base64') }),
      };
    },
  },
  NSFileHandle: {
    fileHandleWithStandardOutput: { writeData: (data: Buffer) => void writeSync(1, data) },
  },
});
const ObjC = {
  import: () => {},
  bindFunction: (name: string, [result, types]: [string, string[]]) => {
    const signature = `${result}(${types.join()})`;
    if (name === 'proc_pid_rusage' && signature === 'int(int,int,void *)')
      bound.set(name, proc_pid_rusage);
  },
};
const $ = new Proxy(objects, {
  get: (own, name) => bound.get(String(name)) ?? Reflect.get(own, name),
});
const delay = (seconds: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000);

runInNewContext(`${script}\nrun(argv)`, { ObjC, $, delay, argv: scriptArguments });
