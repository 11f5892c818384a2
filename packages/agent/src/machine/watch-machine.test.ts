import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LinuxProcess, pinProcess } from '../target/pin-process.ts';
import { MachineWatch } from './watch-machine.ts';

const skip = process.platform !== 'linux' && 'kernel: it is not Linux';

test('MachineWatch: the load of others is the difference of two readings, at their own times', {
  skip,
}, (t) => {
  const own = pinProcess(process.pid);
  t.after(() => own.release());
  const watch = new MachineWatch(own);
  const namesAt = (ms: number) =>
    watch.read(ms).flatMap((one) => (one.type === 'counter' ? `${one.t} ${one.name}` : []));
  assert.ok(!namesAt(0).includes('0 CPU of others'));
  // The same trace time, because a sample is late or a clock is coarse, is no division by 0.
  const [load] = watch.read(0).filter((one) => one.type === 'counter');
  assert.ok(load?.type === 'counter' && load.value >= 0 && Number.isFinite(load.value));
  assert.ok(namesAt(1000).includes('1000 CPU of others'));
});

test('MachineWatch: a second in which the process cannot be read has no load, and the next but one has', {
  skip,
}, () => {
  let fails = false;
  const target: Pick<LinuxProcess, 'folder' | 'read'> = {
    folder: '/proc/self',
    read: () => {
      if (fails) throw new Error('no memory');
      return { cpuMs: 0, rssBytes: 0, threads: 1 };
    },
  };
  const watch = new MachineWatch(target as LinuxProcess);
  const hasLoad = (ms: number) =>
    watch.read(ms).some((one) => one.type === 'counter' && one.name === 'CPU of others');
  assert.deepEqual([hasLoad(0), hasLoad(1)], [false, true]);
  fails = true;
  assert.equal(hasLoad(2), false);
  fails = false;
  assert.deepEqual([hasLoad(3), hasLoad(4)], [false, true]);
});
