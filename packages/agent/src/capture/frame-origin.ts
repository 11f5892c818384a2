// Keeps the frames of a recording free of overlaps if two origins report them: the probe `frames`, and a followed trace.
import { endOfRecord, type FramesRecord } from '@svc/trace';
import { framesWithin } from '../follow/cut-frames.ts';

/**
 * The followed trace is preferred, because the game knows more of its frames. The probe reports later than the trace, so
 * its frames of before the trace, and of after its end, are still recorded.
 */
export class FrameOrigin {
  /** The end of the last frame of the probe that was recorded. */
  #probeEndMs = 0;
  /** Frames of the probe are recorded between the end of a followed trace and the start of the next. */
  #probeFromMs = 0;
  #probeToMs = Number.POSITIVE_INFINITY;
  #followedEndMs = 0;

  /** The part of a record of the probe that is to be recorded, or null. */
  takeProbed(record: FramesRecord): FramesRecord | null {
    const rest = framesWithin(record, this.#probeFromMs, this.#probeToMs);
    if (rest !== null) this.#probeEndMs = Math.max(this.#probeEndMs, endOfRecord(rest));
    return rest;
  }

  /** The part of a record of the followed trace that is to be recorded, or null. */
  takeFollowed(record: FramesRecord): FramesRecord | null {
    const rest = framesWithin(record, this.#probeEndMs);
    if (rest !== null) {
      this.#probeToMs = Math.min(this.#probeToMs, rest.t);
      this.#followedEndMs = Math.max(this.#followedEndMs, endOfRecord(rest));
    }
    return rest;
  }

  /** No more frames come from the followed trace. */
  followedEnds(): void {
    this.#probeFromMs = this.#followedEndMs;
    this.#probeToMs = Number.POSITIVE_INFINITY;
  }
}
