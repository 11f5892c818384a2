// The faults of a build: their codes, one finding, and the error that contains findings.

/** The codes of rejected builds with the HTTP status of the server's response, as in the platform's table of errors. */
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

/** The codes of folders that are not packed, in addition to {@link RefusalCode}. A server never reports these. */
export type PackCode = 'secret_refused' | 'link_outside' | 'file_changed' | 'folder_unreadable';

/** The codes of warnings about an accepted build. */
export type WarningCode =
  | 'reference_case'
  | 'reference_absolute'
  | 'reference_missing'
  | 'encoding_invalid'
  | 'type_mismatch'
  | 'secret_published'
  | 'source_map_published'
  | 'file_not_served'
  | 'root_folder_stripped'
  | 'junk_dropped';

export type Finding<Code extends string = string> = {
  readonly code: Code;
  /** The path in the ZIP or folder. Null for a finding about the whole build. */
  readonly entry: string | null;
  /** A stable identifier of the broken rule: `path_backslash`, `bytes_between`. */
  readonly rule: string;
  /** One sentence that states the fact. */
  readonly message: string;
  /** The next step, or null. */
  readonly hint: string | null;
};

export type Refusal = Finding<RefusalCode | PackCode>;
export type Warning = Finding<WarningCode>;

/** The maximum number of findings about a build. */
export const MAX_FINDINGS = 50;

/** A build is rejected. `code` is that of the first finding. */
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

/** Throws a {@link BuildError} if there are findings. The overload is for a list that is known not to be empty. */
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

export type EntryFault = {
  readonly code: RefusalCode;
  readonly rule: string;
  /** The end of the message, after the quoted name: `is encrypted.` */
  readonly what: string;
  readonly hint?: string | null;
};

/** A finding about one entry. */
export function entryFinding(name: string, { code, rule, what, hint = null }: EntryFault): Refusal {
  return { code, entry: name, rule, message: `${showName(name)} ${what}`, hint };
}

/** Formats a name for a message: quoted, escaped, and cut after 100 characters. */
export function showName(name: string): string {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  return JSON.stringify(shown).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => {
    return `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
