// Frames of functions that wait. A sample in such a frame used no CPU time, whatever its weight.

import type { FrameNames } from '../../stacks/frame-table.ts';

const LONGEST_NAME = 200;
const WAITS =
  /^(?:\(?idle\)?|swapper|epoll_wait|epoll_pwait2?|poll|ppoll|select|__select|pselect6?|futex_wait\w*|pthread_cond_(?:timed)?wait\w*|__pthread_cond_wait|nanosleep|clock_nanosleep|usleep|sem_wait|sigtimedwait|kevent|mach_msg\w*|wait4|cpu_idle|default_idle|do_idle|schedule|schedule_timeout|do_nanosleep|hrtimer_nanosleep|WaitForSingleObject\w*|NtWait\w*|Sleep)$/i;

/** 1 for each frame whose function waits, by its name. Category, offset and module after the name are ignored. */
export function idleFrames(frames: FrameNames): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: frames.length }, (_, id) => (isIdle(frames.text(id)) ? 1 : 0));
}

function isIdle(text: string): boolean {
  const name = text.slice(0, LONGEST_NAME).replace(/_\[[kjiwSWGM]\]$/, '');
  const [word = ''] = name.replace(/^(?:__x64_sys_|__GI_+|sys_)/, '').split(/[+@( ]/);
  return WAITS.test(name) || WAITS.test(word);
}
