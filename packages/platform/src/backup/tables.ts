// The tables in a backup. A test compares both lists with the schema.

export type BackedUpTable = {
  readonly name: string;
  /** The columns of the primary key, by which the rows are read in portions. */
  readonly key: readonly string[];
  /** The only value of a column whose rows are in the backup. Missing: all rows are. */
  readonly only?: { readonly column: string; readonly value: string };
};

/** In the order in which a restore fills them: a table after those that it refers to. */
export const TABLES: readonly BackedUpTable[] = [
  { name: 'secrets', key: ['name'] },
  { name: 'users', key: ['uid'] },
  { name: 'avatars', key: ['id'] },
  { name: 'tokens', key: ['id'] },
  { name: 'used_id_tokens', key: ['hash'] },
  { name: 'ended_sessions', key: ['hash'] },
  { name: 'games', key: ['id'] },
  { name: 'slugs', key: ['slug'] },
  { name: 'game_tags', key: ['game_id', 'tag'] },
  { name: 'search_terms', key: ['subject_id', 'kind', 'term'] },
  { name: 'releases', key: ['id'] },
  { name: 'manifests', key: ['id'] },
  { name: 'kept_manifests', key: ['manifest_id'] },
  { name: 'media', key: ['id'] },
  { name: 'previews', key: ['id'] },
  { name: 'publishers', key: ['id'] },
  { name: 'daily_counts', key: ['game_id', 'day', 'kind', 'name'] },
  { name: 'attempts', key: ['id'], only: { column: 'state', value: 'committed' } },
  { name: 'removals', key: ['id'] },
  { name: 'audit', key: ['id'] },
  { name: 'reports', key: ['id'] },
  { name: 'notices', key: ['id'] },
];

/** The tables that are in no backup, with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  uploads: 'Their parts are not copied. The client sends the upload again.',
  removal_holds: 'They hold the files of the server that was backed up.',
  backups: 'They are those of the server that was backed up.',
  compatible_migrations: 'The migrations of a restore fill it.',
  rate_limits: 'After a restore, all limits are unused.',
};
