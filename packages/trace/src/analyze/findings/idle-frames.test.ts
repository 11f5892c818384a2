// Which frames wait, by their names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameTable } from '../../stacks/frame-table.ts';
import { idleFrames } from './idle-frames.ts';

function waits(name: string): boolean {
  const table = new FrameTable();
  table.internText(name);
  return idleFrames(table.names())[0] === 1;
}

test('idleFrames recognizes frames that wait, whatever category, offset, module or wrapper the name has', () => {
  const waiting =
    'idle (idle) swapper epoll_wait epoll_pwait epoll_pwait2 poll ppoll select __select pselect pselect6 ' +
    'futex_wait futex_wait_queue pthread_cond_wait pthread_cond_timedwait __pthread_cond_wait nanosleep ' +
    'clock_nanosleep usleep sem_wait sigtimedwait kevent mach_msg mach_msg_trap wait4 cpu_idle default_idle ' +
    'do_idle schedule schedule_timeout do_nanosleep hrtimer_nanosleep WaitForSingleObject ' +
    'WaitForSingleObjectEx NtWaitForSingleObject Sleep';
  const dressed = [
    'do_nanosleep_[k]',
    'poll_[j]',
    'epoll_wait+0x12',
    'poll@plt',
    'poll (/lib/libc.so.6)',
    '__x64_sys_epoll_wait_[k]',
    '__GI___poll',
    'sys_nanosleep',
    'SLEEP',
  ];
  for (const name of [...waiting.split(' '), ...dressed]) {
    assert.ok(waits(name), name);
  }
});

test('idleFrames ignores all other frames', () => {
  for (const name of [
    'update',
    'pollEvents',
    'select_target',
    'reschedule',
    'scheduleJob',
    'sleepy',
    'idle_animation',
    'wait',
    'futex',
    '',
  ]) {
    assert.ok(!waits(name), name);
  }
});
