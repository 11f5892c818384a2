// Detects MP4 and WebM by their structure. The pictures are not decoded: browsers do that in a sandboxed process.
import { open } from 'node:fs/promises';
import { isMp4 } from './check-mp4.ts';
import { isWebm } from './check-webm.ts';
import { openWindow } from './file-window.ts';

/** Returns the type of the video; null unless the whole file is an MP4 or a WebM. */
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
