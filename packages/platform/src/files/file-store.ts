// The file store of projects: the operations of an object store. Keys begin with the project's id.
import type { OpenFile } from '@svc/delivery';

export type { OpenFile };

/** A file in a list. `modifiedAt` is in milliseconds since 1970, by the clock of the store. */
export type StoredFile = {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: number;
};

/** Files that are stored together: durable after `settle`. */
export type Batch = {
  /**
   * Stores a completely written local file under a new key, in the background. The batch removes the given file. Throws the
   * error of an earlier file.
   */
  put(key: string, writtenFile: string): Promise<void>;
  /** Resolves when all files are stored durably, even if the power fails. Throws if one could not be stored. */
  settle(): Promise<void>;
  /** Starts no more work and waits for the work in progress. Removes nothing. */
  stop(): Promise<void>;
};

export type FileStore = {
  startBatch(): Batch;
  /** Stores a written local file durably, unless the key exists. Returns whether it was stored. The given file remains. */
  create(key: string, writtenFile: string): Promise<boolean>;
  /**
   * Stores a written local file under a new key, unless the key exists. Returns whether it was stored. A local file may be lost or
   * cut short if the power fails. The given file remains.
   */
  stage(key: string, writtenFile: string): Promise<boolean>;
  /** Opens a file. Throws a `MissingFileError` if there is none. */
  open(key: string): Promise<OpenFile>;
  /** All files below the folder at any depth, in no particular order. None if there is no such folder. */
  list(folder: string): AsyncIterable<StoredFile>;
  /** Returns the names of the folders at the top: the ids of the projects, and maybe folders of other programs. */
  folders(): AsyncIterable<string>;
  /** Removes the files. Missing ones are ignored. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes all files below the folder. */
  removeFolder(folder: string): Promise<void>;
  /**
   * Returns a temporary address from which a client can download the file under the name; null if the store has no such
   * addresses.
   */
  downloadUrl(key: string, name: string): Promise<string | null>;
  /** Throws if files cannot be stored now. */
  ready?(): Promise<void>;
};
