// The files that a program works on: their identity, names, kinds and work.
import type { AssetRecord } from '@svc/trace';
import { FileWork, type NamedFile, type WorkOptions } from './file-work.ts';
import { kindOfHead, kindOfName } from './guess-kind.ts';
import { type FileHint, listOpenFiles, lookUpFile } from './look-up-file.ts';
import { isMadeUp, nameFile, type Places } from './name-file.ts';
import type { FileKey, MapLine, OpenLine } from './parse-file-line.ts';
import type { RunPart } from './run-parts.ts';

/** The most files that are kept. Work on further files is counted, but not recorded. */
const MOST_FILES = 65_536;

/** The number of ticks that records wait for their file's name. */
const PATIENCE_TICKS = 3;

/** The most lookups at once. They use the same threads that write the recording. */
const LOOKUPS_AT_ONCE = 2;

/** The name of a file whose name is unknown. */
const NAMELESS = 'unknown file';

export type WatchOptions = WorkOptions & {
  /** The `/proc/PID` of the process, or another folder with its entries. */
  readonly folder: string;
  readonly places: Places;
};

type Watched = {
  readonly id: number;
  readonly generation: string | null;
  readonly work: FileWork;
  /** The kind, as far as known. `made_up` is not on disk and is left out. */
  what: NamedFile | 'made_up';
  isLookedUp: boolean;
  /** Whether the file was found, or at least its name was reported. */
  hasName: boolean;
  waitedTicks: number;
};

export class WatchedFiles {
  readonly #options: WatchOptions;
  readonly #files = new Map<FileKey, Watched>();
  /** The files with work that has not been recorded. */
  readonly #touched = new Set<Watched>();
  readonly #lookUps: (() => Promise<void>)[] = [];
  #lookingUp = 0;
  #idle = Promise.withResolvers<void>();
  #openFiles: Promise<ReadonlyMap<string, string>>;
  #openFilesAreFresh = true;
  #lastId = 0;
  #leftOut = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#openFiles = listOpenFiles(options.folder);
    this.#idle.resolve();
  }

  /** The number of lines about files beyond MOST_FILES since the last call. */
  takeLeftOut(): number {
    const count = this.#leftOut;
    this.#leftOut = 0;
    return count;
  }

  opened(line: OpenLine, name: string | null): void {
    const { key, generation, fd, folderFd } = line;
    this.#fileOf(key, generation, { fd, name, folderFd })?.work.opened(line);
  }

  mapped(line: MapLine): void {
    const { key, generation, fd } = line;
    this.#fileOf(key, generation, { fd, name: null, folderFd: -1 })?.work.mapped(line);
  }

  advanced(part: RunPart): void {
    this.#fileOf(part.key, null, { fd: null, name: null, folderFd: -1 })?.work.advanced(part);
  }

  /**
   * Returns records of the work since the last call. Work on a file without a name waits, but only
   * for a limited number of ticks.
   */
  take(reportsDisk: boolean): AssetRecord[] {
    this.#openFilesAreFresh = false;
    return this.#take(reportsDisk, PATIENCE_TICKS);
  }

  /** Returns records of all remaining work, once every file was looked up or `ms` have passed. */
  async takeLast(reportsDisk: boolean, patienceMs: number): Promise<AssetRecord[]> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([this.#idle.promise, tooLong]);
    clearTimeout(timer);
    return this.#take(reportsDisk, 0);
  }

  #take(reportsDisk: boolean, patienceTicks: number): AssetRecord[] {
    const records: AssetRecord[] = [];
    for (const file of this.#touched) {
      const isNamed = file.isLookedUp || file.what === 'made_up';
      if (!isNamed && file.waitedTicks++ < patienceTicks) continue;
      this.#touched.delete(file);
      if (file.what === 'made_up') file.work.forget();
      else records.push(...file.work.take(file.what, reportsDisk));
    }
    return records.sort((a, b) => a.t - b.t);
  }

  /** The file that a line is about. Null if there are too many files. */
  #fileOf(key: FileKey, generation: string | null, about: Omit<FileHint, 'inode'>): Watched | null {
    const known = this.#files.get(key);
    const isKnown = known !== undefined && isSame(known.generation, generation);
    if (known === undefined && this.#files.size >= MOST_FILES) {
      this.#leftOut++;
      return null;
    }
    const file = isKnown ? known : this.#add(key, generation);
    this.#touched.add(file);
    const isNews = !isKnown || (!file.hasName && about.name !== null);
    if (isNews) this.#lookUpLater(file, { ...about, inode: key.slice(key.indexOf(':') + 1) });
    return file;
  }

  #add(key: FileKey, generation: string | null): Watched {
    const id = ++this.#lastId;
    const file: Watched = {
      id,
      generation,
      work: new FileWork(this.#options),
      what: { id, name: NAMELESS, kind: 'other', format: null },
      isLookedUp: false,
      hasName: false,
      waitedTicks: 0,
    };
    this.#files.set(key, file);
    return file;
  }

  #lookUpLater(file: Watched, hint: FileHint): void {
    file.hasName = hint.name !== null;
    file.isLookedUp = false;
    if (hint.name !== null) file.what = this.#whatIs(file.id, hint.name, null);
    if (file.what === 'made_up') return;
    this.#lookUps.push(async () => {
      const what = await this.#lookUp(file.id, hint);
      if (hint.name === null && file.hasName) return; // a name was reported meanwhile, and its own lookup is more reliable
      file.what = what;
      file.isLookedUp = true;
    });
    if (this.#lookingUp === 0) this.#idle = Promise.withResolvers<void>();
    if (this.#lookingUp < LOOKUPS_AT_ONCE) void this.#workOff();
  }

  async #workOff(): Promise<void> {
    this.#lookingUp++;
    for (let next = this.#lookUps.shift(); next !== undefined; next = this.#lookUps.shift()) {
      await next();
    }
    this.#lookingUp--;
    if (this.#lookingUp === 0) this.#idle.resolve();
  }

  /**
   * Names a file by its path. If it was not found, by the name that the program passed, and then by
   * the list of open files.
   */
  async #lookUp(id: number, hint: FileHint): Promise<NamedFile | 'made_up'> {
    const wantsHead = (path: string): boolean => !isMadeUp(path) && !kindOfName(path).isSure;
    const found = await lookUpFile(this.#options.folder, hint, wantsHead);
    const path = found?.path ?? hint.name ?? (await this.#pathOfOpen(hint.inode)) ?? NAMELESS;
    return this.#whatIs(id, path, found?.head ?? null);
  }

  #whatIs(id: number, path: string, head: Uint8Array | null): NamedFile | 'made_up' {
    if (isMadeUp(path)) return 'made_up';
    const name = nameFile(path, this.#options.places);
    const seen = head === null ? null : kindOfHead(head);
    return { id, name, kind: seen?.kind ?? kindOfName(name).kind, format: seen?.format ?? null };
  }

  /** Lists the files that the program has open, at most once a tick. */
  async #pathOfOpen(inode: string): Promise<string | null> {
    const known = (await this.#openFiles).get(inode);
    if (known !== undefined || this.#openFilesAreFresh) return known ?? null;
    this.#openFilesAreFresh = true;
    this.#openFiles = listOpenFiles(this.#options.folder);
    return (await this.#openFiles).get(inode) ?? null;
  }
}

/** A line without a generation matches by its inode alone. */
function isSame(known: string | null, reported: string | null): boolean {
  return known === null || reported === null || known === reported;
}
