// The route of the export: the data of the caller, as a ZIP that is made while it is sent.
import { Readable } from 'node:stream';
import { formatNumber } from '@svc/contracts/faults';
import { writeZip } from '@svc/game-build';
import { errorFields } from '@svc/observe';
import type { App } from '@svc/serve';
import type { FastifyReply } from 'fastify';
import { failure } from '../failure.ts';
import { routesOn } from '../handle-route.ts';
import { withFirst } from '../http/first-chunk.ts';
import type { Platform } from '../platform.ts';
import { UPLOAD_MS } from '../publishing/publishing-routes.ts';
import { accountEntries } from './account-entries.ts';

/** The directory of the ZIP is kept in memory until the end: up to 400 bytes for each file. */
const MOST_FILES = 200_000;

export function exportRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  /** The users whose export is at work in this process. */
  const atWork = new Set<string>();
  handleRoute(
    'exportAccount',
    async ({ caller, query, request, reply }) => {
      const { user } = caller;
      const { uid } = user;
      const withBuilds = query.builds === 'true';
      const day = new Date(platform.now()).toISOString().slice(0, 10);
      reply.headers({
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="svc-export-${day}.zip"`,
      });
      if (withBuilds) await checkFiles(platform, uid);
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      if (atWork.has(uid)) {
        throw failure(
          'busy',
          'Cannot export your data: another export is running. Wait until it has ended',
        );
      }
      // The client may have left while the request was admitted. Then there is no `close` any more.
      if (reply.raw.destroyed) return reply.send(Readable.from([]));
      atWork.add(uid);
      const chunks = logFailure(platform, writeZip(accountEntries(platform, user, withBuilds)));
      reply.raw.once('close', () => {
        atWork.delete(uid);
        // Closes files if the client has left before the answer began. What it throws belongs to a request that has ended.
        chunks.return(undefined).catch(() => {});
      });
      return await sendChunks(reply, chunks);
    },
    { requestMs: UPLOAD_MS },
  );
}

/** Yields the chunks. Logs an error, because the answer has begun: its client sees only that the download breaks off. */
async function* logFailure(
  { log }: Platform,
  chunks: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    log.error('an export of an account failed', errorFields(error));
    throw error;
  }
}

async function sendChunks(
  reply: FastifyReply,
  chunks: AsyncGenerator<Uint8Array>,
): Promise<FastifyReply> {
  // Read before the answer begins, which can still be an error then.
  const first = await chunks.next();
  return reply.send(Readable.from(withFirst(first, chunks), { objectMode: false }));
}

/** Throws `payload_too_large` if the releases of the user have too many files for one archive. */
async function checkFiles({ db }: Platform, uid: string): Promise<void> {
  const { files } = await db
    .selectFrom('releases')
    .innerJoin('games', 'games.id', 'releases.game_id')
    .select((eb) => eb.fn.sum<number | string | null>('releases.file_count').as('files'))
    .where('games.developer_uid', '=', uid)
    .where('releases.deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  const count = Number(files ?? 0);
  if (count <= MOST_FILES) return;
  throw failure(
    'payload_too_large',
    `Cannot export your data with builds: the releases have ${formatNumber(count)} files, and ${formatNumber(MOST_FILES)} are allowed. Export without builds, and download the releases one by one`,
  );
}
