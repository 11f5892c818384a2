// The metrics that are read when somebody asks for them, and the count of the upkeep.
import { Gauge, type Registry } from 'prom-client';
import manifest from '../../package.json' with { type: 'json' };
import type { Db } from '../database/schema.ts';
import { imageTurns } from '../media/prepare-image.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { countOpenReports } from '../notices/count-waiting.ts';
import type { Platform } from '../platform.ts';
import { readTotals, type Totals } from '../storage/read-totals.ts';
import type { UpkeepRun } from '../storage/upkeep.ts';

/** Totals are read from the database at most this often. */
const TOTALS_MS = 60_000;

/** Counts a run of the upkeep. */
export function countUpkeep(
  { upkeep, upkeepDoneAt }: Metrics,
  { isDone, seconds }: UpkeepRun,
): void {
  upkeep.observe({ outcome: isDone ? 'done' : 'failed' }, seconds);
  if (isDone) upkeepDoneAt.setToCurrentTime();
}

/** Adds what is read only when the metrics are. */
export function addGauges({ metrics: { registry }, db, database, spool }: Platform): void {
  const registers = [registry];
  new Gauge({
    name: 'svc_build_info',
    help: 'Always 1. The labels name the version and the database.',
    labelNames: ['version', 'database'],
    registers,
  }).set({ version: manifest.version, database: database.engine }, 1);
  new Gauge({
    name: 'svc_image_queue_waiting',
    help: 'Images that wait until others have been processed.',
    registers,
    collect() {
      this.set(imageTurns.waiting);
    },
  });
  new Gauge({
    name: 'svc_spool_free_bytes',
    help: 'Free bytes on the disk of the spool, where uploads are checked.',
    registers,
    async collect() {
      // Not a number, instead of no metrics at all, if the folder is gone.
      this.set(await spool.freeBytes().catch(() => Number.NaN));
    },
  });
  const { pool } = database;
  if (pool !== null) {
    new Gauge({
      name: 'svc_database_pool_connections',
      help: 'Connections to PostgreSQL by state (busy, idle).',
      labelNames: ['state'],
      registers,
      collect() {
        this.set({ state: 'busy' }, pool.busy);
        this.set({ state: 'idle' }, pool.idle);
      },
    });
    new Gauge({
      name: 'svc_database_pool_waiting',
      help: 'Calls that wait for a connection to PostgreSQL.',
      registers,
      collect() {
        this.set(pool.waiting);
      },
    });
  }
  new Gauge({
    name: 'svc_last_backup_timestamp_seconds',
    help: 'When the state of the last backup without faults was read. Missing if there is none, and while the database does not answer.',
    registers,
    async collect() {
      const at = await readLastBackup(db).catch(() => null);
      if (at === null) this.remove();
      else this.set(at / 1000);
    },
  });
  addTotals(registry, async () => ({
    ...(await readTotals(db)),
    openReports: await countOpenReports(db),
  }));
}

/** Returns the time of the last backup in milliseconds since 1970; null if there is none. */
async function readLastBackup(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('backups')
    .select('made_at')
    .orderBy('made_at', 'desc')
    .executeTakeFirst();
  return row?.made_at ?? null;
}

type AllTotals = Totals & { readonly openReports: number };

/** Adds what is stored on all processes. The totals are missing while the database does not answer. */
function addTotals(registry: Registry, read: () => Promise<AllTotals>): void {
  let last: { readonly until: number; readonly totals: Promise<AllTotals | null> } | null = null;
  const totals = (): Promise<AllTotals | null> => {
    if (last === null || performance.now() >= last.until) {
      last = { until: performance.now() + TOTALS_MS, totals: read().catch(() => null) };
    }
    return last.totals;
  };
  const add = (name: keyof Totals, metric: string, help: string, label: string): void => {
    new Gauge({
      name: metric,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        this.reset();
        const read = await totals();
        for (const [value, count] of Object.entries(read?.[name] ?? {})) {
          this.set({ [label]: value }, count);
        }
      },
    });
  };
  add('users', 'svc_users', 'Users by role.', 'role');
  add('games', 'svc_games', 'Games by status (draft, published).', 'status');
  add(
    'releases',
    'svc_releases',
    'Releases by whether their ZIP is stored, or made for a download.',
    'zip',
  );
  add(
    'bytes',
    'svc_stored_bytes',
    'Stored bytes by kind: contents (files of games with their variants), builds (ZIPs), uploads (in parts), media (without their smaller variants), avatars.',
    'kind',
  );
  new Gauge({
    name: 'svc_reports_open',
    help: 'Reports of games that wait for an administrator.',
    registers: [registry],
    async collect() {
      const read = await totals();
      if (read === null) this.remove();
      else this.set(read.openReports);
    },
  });
}
