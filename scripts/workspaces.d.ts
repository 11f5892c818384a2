/** Absolute path of the repository's root folder. */
export declare const ROOT: string;
/** The fields of a package.json that these scripts read. */
export type Manifest = {
  readonly name: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};
export type Workspace = {
  /** Folder relative to the root, with forward slashes: `packages/trace`. */
  readonly folder: string;
  readonly manifest: Manifest;
};
/** Every workspace of the repository, sorted by folder. */
export declare function readWorkspaces(): Workspace[];
