// Keeps the frames of a recording free of overlaps if two origins report them: the probe `frames`, and a followed trace.
import { endOfRecord, type FramesRecord } from '@svc/trace';
import { framesFrom } from '../follow/cut-frames.ts';

/** The followed trace is preferred, because the game knows more of its frames. */
export class FrameOrigin {
  #last: 'probe' | 'followed' | null = null;
  #endMs = 0;
  #followedHasFrames = false;

  /** The part of the record that is to be recorded, or null. */
  take(origin: 'probe' | 'followed', record: FramesRecord): FramesRecord | null {
    if (origin === 'probe' && this.#followedHasFrames) return null;
    this.#followedHasFrames = origin === 'followed';
    const rest = origin === this.#last ? record : framesFrom(record, this.#endMs);
    if (rest === null) return null;
    this.#last = origin;
    this.#endMs = Math.max(this.#endMs, endOfRecord(rest));
    return rest;
  }

  /** The followed trace has ended: frames of the probe are recorded again. */
  followedEnds(): void {
    this.#followedHasFrames = false;
  }
}
