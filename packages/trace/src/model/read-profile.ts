// Reads profiles and frame logs of other tools as the `.vpt` trace to which they are converted.
import { FrameLogConverter } from '../frame-logs/convert-frame-log.ts';
import type { Conversion } from '../profiles/conversion.ts';
import { ChromeConverter } from '../profiles/convert-chrome.ts';
import { CpuProfileConverter } from '../profiles/convert-cpuprofile.ts';
import { type TraceSink, type VptEnding, VptReader } from '../vpt/read-vpt.ts';
import type { ConvertedFormat, PushReader } from './sniff-format.ts';

/**
 * Opens the converter of a format. `emit` receives whole lines of `.vpt`, and nothing if the file is rejected. `finish` throws
 * TraceError `not_a_profile` for a file without anything to show.
 */
export function openConverter(
  format: ConvertedFormat,
  emit: (text: string) => void,
): PushReader<Conversion> {
  if (format === 'cpuprofile') return new CpuProfileConverter(emit);
  return format === 'chrome' ? new ChromeConverter(emit) : new FrameLogConverter(format, emit);
}

/** The result of reading a profile: the end of its `.vpt` trace, and what the conversion lost. */
export type ProfileEnding = VptEnding & Conversion;

/** Passes the records of a converted profile to a sink. Call `push` with the bytes of the profile, then `finish`. */
export class ProfileReader implements PushReader<ProfileEnding> {
  readonly #reader: VptReader;
  readonly #converter: PushReader<Conversion>;

  constructor(format: ConvertedFormat, sink: TraceSink) {
    const encoder = new TextEncoder();
    this.#reader = new VptReader(sink);
    this.#converter = openConverter(format, (text) => this.#reader.push(encoder.encode(text)));
  }

  push(chunk: Uint8Array): void {
    this.#converter.push(chunk);
  }

  finish(): ProfileEnding {
    const conversion = this.#converter.finish();
    return { ...this.#reader.finish(), ...conversion };
  }
}
