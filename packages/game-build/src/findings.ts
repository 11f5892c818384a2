// What can be wrong with a build: the codes, one finding, and the error that carries them.

/** Why a build is refused, with the HTTP status that a server answers: the table of the platform's error codes. */
export const REFUSAL_STATUS = {
  zip_malformed: 400,
  zip_ambiguous: 400,
  zip_overlap: 400,
  zip_crc_mismatch: 400,
  zip_size_mismatch: 400,
  zip_path_invalid: 400,
  zip_path_collision: 400,
  zip_entry_type: 400,
  zip_encrypted: 400,
  zip_method_unsupported: 400,
  zip_missing_index: 400,
  payload_too_large: 413,
  zip_too_many_entries: 413,
  zip_file_too_large: 413,
  zip_expansion_limit: 413,
} as const;

export type RefusalCode = keyof typeof REFUSAL_STATUS;

/** Why a folder is not packed. A server never sees these; the paths of such a folder are judged by {@link RefusalCode} too. */
export type PackCode = 'secret_refused' | 'link_outside' | 'file_changed' | 'folder_unreadable';

/** What is worth telling although the build is accepted. */
export type WarningCode =
  | 'reference_case'
  | 'reference_absolute'
  | 'encoding_invalid'
  | 'type_mismatch'
  | 'secret_published'
  | 'source_map_published'
  | 'file_not_served'
  | 'root_folder_stripped'
  | 'junk_dropped';

export type Finding<Code extends string = string> = {
  readonly code: Code;
  /** The path as it stands in the ZIP or folder; null where the finding is about the whole. */
  readonly entry: string | null;
  /** The promise that is broken, a short stable word of its own: `path_backslash`, `tiling_gap`. */
  readonly rule: string;
  /** The fact, in one sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint: string | null;
};

export type Refusal = Finding<RefusalCode | PackCode>;
export type Warning = Finding<WarningCode>;

/** At most so many findings are kept of one build. */
export const MAX_FINDINGS = 50;

/** A build that is refused, whole. `code` is the first finding's. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
  readonly code: RefusalCode | PackCode;
  /** 1 to {@link MAX_FINDINGS} findings. */
  readonly findings: readonly Refusal[];

  constructor(findings: readonly [Refusal, ...Refusal[]]) {
    super(findings[0].message);
    this.code = findings[0].code;
    this.findings = findings.slice(0, MAX_FINDINGS);
  }
}

/** Throws a {@link BuildError} where there is a finding, which for a list that is known to hold one is always. */
export function refuse(findings: readonly [...Refusal[], Refusal]): never;
export function refuse(findings: readonly Refusal[]): void;
export function refuse(findings: readonly Refusal[]): void {
  const [first, ...rest] = findings;
  if (first !== undefined) throw new BuildError([first, ...rest]);
}

/** Throws a {@link BuildError} with one finding about the archive as a whole. */
export function refuseWhole(
  code: Refusal['code'],
  rule: string,
  message: string,
  hint: string | null = null,
): never {
  throw new BuildError([{ code, entry: null, rule, message, hint }]);
}

/** A finding about one entry; its message is the quoted name and `what`. */
export function entryFinding(
  name: string,
  code: RefusalCode,
  rule: string,
  what: string,
  hint: string | null = null,
): Refusal {
  return { code, entry: name, rule, message: `${showName(name)} ${what}`, hint };
}

/** A name as it may stand in a message: quoted, escaped, not too long. */
export function showName(name: string): string {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  return JSON.stringify(shown).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => {
    return `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
