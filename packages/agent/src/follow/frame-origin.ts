// Keeps the frames of a recording free of overlaps if two origins report them: the probe `frames`, and a followed trace.
import { endOfRecord, type FramesRecord } from '@svc/trace';
import { framesWithin } from './cut-frames.ts';

/** A followed trace without a frame for so long has no frames any more. */
const SILENT_MS = 2_000;

/** Times and durations are rounded. */
const ROUNDING_MS = 0.01;

/**
 * The followed trace is preferred, because the game knows more of its frames. The probe reports a second at once and later than
 * the trace, so its frames are held back for a while: they are recorded if the trace has none for that time.
 */
export class FrameOrigin {
  /** The end of the last frame of the probe that was recorded. All times are trace times. */
  #probeEndMs = 0;
  /** Frames of the probe are recorded between the end of the followed frames and the start of the next ones. */
  #probeFromMs = 0;
  #probeToMs = Number.POSITIVE_INFINITY;
  #followedEndMs = 0;
  /** Frames of a trace do not begin before the end of the trace before. */
  #followedFromMs = 0;
  #held: FramesRecord[] = [];

  /** Takes a record of the probe. Returns what is to be recorded now. */
  takeProbed(record: FramesRecord): FramesRecord[] {
    const rest = framesWithin(record, this.#probeFromMs, this.#probeToMs);
    if (rest !== null) this.#probeEndMs = Math.max(this.#probeEndMs, endOfRecord(rest));
    const recorded = rest === null ? [] : [rest];
    if (this.#probeToMs === Number.POSITIVE_INFINITY) return recorded;
    this.#held = [...this.#held, record].filter((one) => endOfRecord(one) > this.#followedEndMs);
    const isSilent = endOfRecord(record) - SILENT_MS > this.#followedEndMs;
    return isSilent ? [...recorded, ...this.followedEnds()] : recorded;
  }

  /** Takes a record of the followed trace. Returns the part of it that is to be recorded, or null. */
  takeFollowed(record: FramesRecord): FramesRecord | null {
    const fromMs = Math.max(this.#probeEndMs, this.#followedFromMs - ROUNDING_MS);
    const rest = framesWithin(record, fromMs);
    if (rest === null) return null;
    this.#probeToMs = Math.min(this.#probeToMs, rest.t);
    this.#followedEndMs = Math.max(this.#followedEndMs, endOfRecord(rest));
    return rest;
  }

  /** The followed trace has no frames any more. Returns the frames of the probe since its last one. */
  followedEnds(): FramesRecord[] {
    this.#probeFromMs = this.#followedEndMs;
    this.#followedFromMs = this.#followedEndMs;
    this.#probeToMs = Number.POSITIVE_INFINITY;
    const held = this.#held;
    this.#held = [];
    return held.flatMap((record) => this.takeProbed(record));
  }
}
