// Tells an MP4 from a WebM by its structure; browsers decode the pictures in a process that has no power.
import { open } from 'node:fs/promises';
import { isMp4 } from './check-mp4.ts';
import { isWebm } from './check-webm.ts';
import { openWindow } from './file-window.ts';

/** The type of the video; null for a file that is neither MP4 nor WebM from its first byte to its last. */
export async function readTrailerType(path: string): Promise<'video/mp4' | 'video/webm' | null> {
  const handle = await open(path, 'r');
  try {
    const file = await openWindow(handle);
    if (await isMp4(file)) return 'video/mp4';
    return (await isWebm(file)) ? 'video/webm' : null;
  } finally {
    await handle.close();
  }
}
