// Readings of a process on macOS, by the kernel's proc_pid_rusage, which osascript can call. Not run on macOS yet.
// Structure: rusage_info_v0 in <sys/resource.h> of Apple's xnu.
import { basename } from 'node:path';
import type { Sampler, SamplerEvent } from './sampler.ts';

const PERIOD_S = 0.4;
const INFO_BYTES = 96;
const USER_TIME = 16;
const SYSTEM_TIME = 24;
const RESIDENT_SIZE = 64;
const START_TIME = 80;
/** Not zero for a process that has exited and whose parent has not asked for its exit code. */
const EXIT_TIME = 88;

/** Prints the structure as base64. It ends when svc no longer reads what it prints. */
const SCRIPT = `
ObjC.import('Foundation');
ObjC.bindFunction('proc_pid_rusage', ['int', ['int', 'int', 'void *']]);
function run(argv) {
  const pid = Number(argv[0]);
  const info = $.NSMutableData.dataWithLength(${INFO_BYTES});
  const out = $.NSFileHandle.fileHandleWithStandardOutput;
  const print = (line) => out.writeData($(line + '\\n').dataUsingEncoding($.NSUTF8StringEncoding));
  let end = 'forbidden';
  for (; $.proc_pid_rusage(pid, 0, info.mutableBytes) === 0; end = 'exited') {
    print(info.base64EncodedStringWithOptions(0).js);
    delay(${PERIOD_S});
  }
  print(end);
}
`;

/**
 * The first lines: when the process started and its name, and how often the kernel's clock ticks in a second. Without `-ww` ps cuts the
 * name, and in the language C it replaces letters that are not ASCII.
 */
const START = `export PATH="$PATH:/usr/bin:/bin:/usr/sbin:/sbin"
LC_ALL= LC_TIME=C LC_CTYPE=UTF-8 ps -ww -o lstart=,comm= -p "$1" || { echo missing; exit; }
sysctl -n hw.tbfrequency && exec osascript -l JavaScript -e "$2" "$1"`;

export const macosSampler: Sampler = {
  system: 'macOS',
  command: (pid) => ({ file: '/bin/sh', args: ['-c', START, 'sh', String(pid), SCRIPT] }),
  reader: createReader,
};

function createReader(): (line: string) => SamplerEvent | null {
  let ticksPerMs: number | null = null;
  let started: bigint | null = null;
  return (line) => {
    if (line === 'exited') return { kind: 'exited' };
    if (line === 'missing') return { kind: 'refused', code: 'no_such_process' };
    if (line === 'forbidden') return { kind: 'refused', code: 'process_forbidden' };
    const about = parseProcess(line);
    if (about !== null) return about;
    if (ticksPerMs === null) {
      const frequency = /^\d{1,15}$/.test(line) ? Number(line) : 0;
      if (frequency > 0) ticksPerMs = frequency / 1000;
      return null;
    }
    const info = Buffer.from(line, 'base64');
    if (info.length !== INFO_BYTES) return null;
    // Another process with the same id has another start.
    started ??= info.readBigUInt64LE(START_TIME);
    if (info.readBigUInt64LE(START_TIME) !== started) return { kind: 'exited' };
    if (info.readBigUInt64LE(EXIT_TIME) !== 0n) return { kind: 'exited' };
    const time = info.readBigUInt64LE(USER_TIME) + info.readBigUInt64LE(SYSTEM_TIME);
    return {
      kind: 'reading',
      cpuMs: Number(time) / ticksPerMs,
      rssBytes: Number(info.readBigUInt64LE(RESIDENT_SIZE)),
      threads: null,
    };
  };
}

/** `Fri Nov 27 05:07:59 2026     /Applications/Game.app/Contents/MacOS/Game`, in the time zone of the machine. */
function parseProcess(line: string): SamplerEvent | null {
  const found = /^\w{3} (\w{3} +\d{1,2} \d\d:\d\d:\d\d \d{4}) +(\S.*)$/.exec(line.trimStart());
  if (found === null) return null;
  const [, date = '', path = ''] = found;
  const time = new Date(date);
  if (Number.isNaN(time.getTime())) return null;
  return { kind: 'about', name: basename(path), startedAt: time.toISOString() };
}
