// Opens what a server and the commands beside it need: the database, the file store and the spool.
import { join, resolve } from 'node:path';
import type { Log } from '@svc/observe';
import { makeDataDir } from '@svc/serve';
import { measureStatements } from '../database/measure-statements.ts';
import { openDatabase } from '../database/open-database.ts';
import { openSpool } from '../files/spool.ts';
import { codeOf, createMetrics, type Metrics } from '../metrics/metrics.ts';
import type { Platform } from '../platform.ts';
import { openFiles, openServed, type ServedFiles } from './open-files.ts';
import type { Settings } from './settings.ts';

/** The open parts. Disposing of them closes them. */
export type Stores = AsyncDisposable &
  Pick<Platform, 'db' | 'database' | 'files' | 'spool' | 'attemptLeaseMs' | 'log'> & {
    /** Opens the files as players get them (see `Platform.served`), before the stores are closed. */
    readonly openServed: () => Promise<ServedFiles>;
  };

export type StoresOptions = {
  readonly dataDir: string;
  readonly settings: Settings;
  readonly log: Log;
  /** What is counted. Default: counted, and not read. */
  readonly metrics?: Metrics;
};

/** Opens all parts. Throws if one of them can't be opened, and closes the others. */
export async function openStores({
  dataDir,
  settings,
  log,
  metrics = createMetrics(),
}: StoresOptions): Promise<Stores> {
  makeDataDir(dataDir);
  await using opening = new AsyncDisposableStack();
  const { databasePool: connections, databaseTimeoutMs: timeoutMs, migrate } = settings;
  const database = opening.adopt(
    await openDatabase(dataDir, settings.databaseUrl, {
      ...{ connections, timeoutMs, migrate, log },
      onNoConnection: (error) => metrics.databaseErrors.inc({ code: codeOf(error) }),
      onStatement: measureStatements(
        metrics,
        settings.databaseUrl === null ? 'sqlite' : 'postgresql',
      ),
    }),
    (opened) => opened.db.destroy(),
  );
  const store = opening.use(await openFiles(dataDir, settings, metrics, log));
  const spool = opening.use(openSpool(resolve(settings.spoolDir ?? join(dataDir, 'spool'))));
  const opened = opening.move();
  return {
    db: database.db,
    database,
    files: store.files,
    openServed: () => openServed(store, { dataDir, settings, metrics, log }),
    spool,
    attemptLeaseMs: settings.publishLeaseSeconds * 1000,
    log,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
