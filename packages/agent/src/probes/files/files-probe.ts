// The probe `files`: turns what the kernel reports about opened, read and mapped files into asset
// records.
import { readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TraceRecord } from '@svc/trace';
import { readKernelUnits } from '../../target/kernel-units.ts';
import type { ProbeContext, ProbeKind, ProbeReader } from '../probe-kind.ts';
import type { Places } from './name-file.ts';
import { type NameLine, type OpenLine, parseFileLine } from './parse-file-line.ts';
import { RunParts } from './run-parts.ts';
import { WatchedFiles } from './watched-files.ts';

/** How long the end waits for the names of files that were opened just before. */
const LAST_NAMES_MS = 500;

/**
 * An open and its name arrive as two consecutive lines. At most this many lines wait for their
 * counterpart.
 */
const MOST_HALVES = 1024;

export const filesProbe: ProbeKind = {
  id: 'files',
  open: (context) => new FilesReader(context),
};

class FilesReader implements ProbeReader {
  readonly #append: (record: TraceRecord) => void;
  readonly #files: WatchedFiles;
  readonly #runs = new RunParts();
  readonly #opens = new Map<string, Half<OpenLine>>();
  readonly #names = new Map<string, Half<NameLine>>();
  #tick = 0;
  #reportsDisk = false;
  #warningLines = 0;

  constructor({ process, frameThreads, append, toTraceMs }: ProbeContext) {
    this.#append = append;
    this.#files = new WatchedFiles({
      folder: process.folder,
      places: placesOf(process.folder),
      frameThreads,
      pageBytes: readKernelUnits().pageBytes,
      toTraceMs,
    });
  }

  line(text: string): void {
    const line = parseFileLine(text);
    switch (line?.line) {
      case 'open':
      case 'name':
        this.#takeHalf(line);
        return;
      case 'map':
        this.#files.mapped(line);
        return;
      case 'read':
      case 'fault':
      case 'disk': {
        const part = this.#runs.advance(line);
        if (part !== null) this.#files.advanced(part);
        return;
      }
      case 'reports_disk':
        this.#reportsDisk = true;
    }
  }

  tick(t: number): void {
    this.#runs.tick();
    this.#takeSingleHalves(this.#tick++);
    this.#write(this.#files.take(this.#reportsDisk), t);
  }

  async end(t: number): Promise<void> {
    this.#takeSingleHalves(this.#tick + 1);
    this.#write(await this.#files.takeLast(this.#reportsDisk, LAST_NAMES_MS), t);
  }

  /**
   * bpftrace warns about comparing an address in the process with one in the kernel, and shows the
   * place in two more lines.
   */
  complaint(text: string): boolean {
    if (text.includes('WARNING: ')) this.#warningLines = 3;
    if (this.#warningLines === 0 || /^Lost |ERROR: /.test(text)) return false;
    this.#warningLines--;
    return true;
  }

  /** Combines an open with its name. The line that arrives first waits for the other. */
  #takeHalf(line: OpenLine | NameLine): void {
    const key = `${line.tid} ${line.startNs}`;
    const open = line.line === 'open' ? line : this.#opens.get(key)?.line;
    const name = line.line === 'name' ? line : this.#names.get(key)?.line;
    if (open !== undefined && name !== undefined) {
      this.#opens.delete(key);
      this.#names.delete(key);
      this.#files.opened(open, name.name);
    } else if (line.line === 'open') keep(this.#opens, key, { line, tick: this.#tick });
    else keep(this.#names, key, { line, tick: this.#tick });
  }

  /**
   * Handles lines from before this tick, whose counterpart was lost. The file may still be found by
   * its descriptor.
   */
  #takeSingleHalves(before: number): void {
    for (const [key, { line, tick }] of this.#opens) {
      if (tick >= before) continue;
      this.#opens.delete(key);
      this.#files.opened(line, null);
    }
    for (const [key, { tick }] of this.#names) if (tick < before) this.#names.delete(key);
  }

  #write(records: readonly TraceRecord[], t: number): void {
    for (const record of records) this.#append(record);
    const count = this.#files.takeLeftOut();
    if (count > 0) this.#append({ type: 'loss', t, reason: 'too_many_files', count });
  }
}

type Half<Line> = { readonly line: Line; readonly tick: number };

function keep<Line>(halves: Map<string, Half<Line>>, key: string, half: Half<Line>): void {
  if (halves.size >= MOST_HALVES) halves.clear();
  halves.set(key, half);
}

function placesOf(folder: string): Places {
  const programPath = linkOrNull(`${folder}/exe`);
  return {
    workingFolder: linkOrNull(`${folder}/cwd`),
    programFolder: programPath === null ? null : dirname(programPath),
  };
}

function linkOrNull(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
