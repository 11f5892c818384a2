// Repairs a project: restores contents from the stored ZIPs of its releases, and removes orphans.
import { ApiError } from '@svc/serve';
import type { ManifestFile } from '../database/manifest.ts';
import { newId } from '../database/new-id.ts';
import type { Trx } from '../database/schema.ts';
import { inAttempt } from '../storage/attempt.ts';
import { bytesOfContent, type Content } from '../storage/contents.ts';
import { insertManifest, manifestsOf } from '../storage/manifests.ts';
import { areRemovalsHeld } from '../storage/removal-hold.ts';
import { writeRemoval } from '../storage/write-removal.ts';
import type { CheckContext, Problem, Report } from './check-project.ts';
import { extractLost } from './extract-lost.ts';
import { asSpoolFailure } from './verify-file.ts';

const UNREPAIRABLE = {
  build:
    'The ZIP of this release cannot be restored. Its files are still played. Publish the build again',
  media: 'The image or trailer cannot be restored. Upload it again',
} as const;

const HELD = 'A backup that is running may need the file. Repair again when it has ended';

/** Repairs what it can, and returns all problems with their outcome. */
export async function repairProject(
  context: CheckContext,
  gameId: string,
  problems: readonly Problem[],
): Promise<Report[]> {
  const orphans = problems.filter((problem) => problem.kind === 'orphaned');
  const isHeld = orphans.length > 0 && (await areRemovalsHeld(context));
  if (!isHeld) await context.files.remove(orphans.map((problem) => problem.key));
  const lost = lostContents(problems);
  const { restored, reason } = await tryRestore(context, gameId, lost);
  return problems.map((problem): Report => {
    const proof = problem.expected?.proof;
    if (proof === undefined)
      return isHeld ? failed(problem, HELD) : { ...problem, outcome: 'removed' };
    if (proof.kind !== 'content') return failed(problem, UNREPAIRABLE[proof.kind]);
    if (restored.has(proof.content.hash)) return { ...problem, outcome: 'restored' };
    return failed(problem, reason);
  });
}

function failed(problem: Problem, why: string): Report {
  const reason = problem.reason === null ? why : `${problem.reason}. ${why}`;
  return { ...problem, outcome: 'failed', reason };
}

type Restored = { readonly restored: ReadonlySet<string>; readonly reason: string };

/** Restores what it can. `reason` says why the others were not restored. */
async function tryRestore(
  context: CheckContext,
  gameId: string,
  lost: ReadonlyMap<string, Content>,
): Promise<Restored> {
  const reason = 'No stored ZIP of this project contains the file. Publish the build again';
  if (lost.size === 0) return { restored: new Set(), reason };
  try {
    return { restored: await restore(context, gameId, lost), reason };
  } catch (thrown) {
    const error = asSpoolFailure(thrown);
    // Another publish is running, or the repair was stopped for too long: the other projects can be repaired.
    if (!(error instanceof ApiError)) throw error;
    return { restored: new Set(), reason: error.message };
  }
}

/** The contents of which a file is missing or damaged, by hash. */
function lostContents(problems: readonly Problem[]): ReadonlyMap<string, Content> {
  const lost = new Map<string, Content>();
  for (const { expected } of problems) {
    if (expected?.proof.kind === 'content') {
      lost.set(expected.proof.content.hash, expected.proof.content);
    }
  }
  return lost;
}

/** Stores the contents again, in the place of a new attempt, and returns the hashes of those that were found. */
async function restore(
  context: CheckContext,
  gameId: string,
  lost: ReadonlyMap<string, Content>,
): Promise<ReadonlySet<string>> {
  return inAttempt(context, { gameId, kind: 'publish' }, async (attempt) => {
    const found = await extractLost(context, { gameId, lost, attempt });
    if (found.size === 0) return new Set<string>();
    return attempt.commit(
      async (trx) => {
        await pointToRestored(trx, gameId, found);
        return new Set(found.keys());
      },
      async () => new Set(found.keys()),
    );
  });
}

/** Replaces each manifest that refers to a lost content. A manifest is never changed, because servers cache it. */
async function pointToRestored(
  trx: Trx,
  gameId: string,
  found: ReadonlyMap<string, Content>,
): Promise<void> {
  const addedBytes = [...found.values()].reduce((sum, content) => sum + bytesOfContent(content), 0);
  // Locks the game, and informs other servers. PostgreSQL informs them only if the row changes, so empty files count as one
  // byte until the upkeep corrects the size.
  await trx
    .updateTable('games')
    .set((eb) => ({ content_bytes: eb('content_bytes', '+', Math.max(1, addedBytes)) }))
    .where('id', '=', gameId)
    .execute();
  for await (const { id, releaseId, files } of manifestsOf(trx, gameId)) {
    if (!files.some((file) => found.has(file.hash))) continue;
    await replaceManifest(
      trx,
      { id, releaseId },
      files.map((file) => restored(file, found)),
    );
  }
  // Has the upkeep remove the damaged files, and correct the size of the project.
  await writeRemoval(trx, gameId, 'unused');
}

function restored(file: ManifestFile, found: ReadonlyMap<string, Content>): ManifestFile {
  const content = found.get(file.hash);
  if (content === undefined) return file;
  const { place, gzip_bytes, br_bytes } = content;
  return { ...file, place, gzip_bytes, br_bytes };
}

async function replaceManifest(
  trx: Trx,
  { id, releaseId }: { readonly id: string; readonly releaseId: string },
  files: readonly ManifestFile[],
): Promise<void> {
  const fresh = newId();
  await insertManifest(trx, { id: fresh, releaseId }, files);
  await trx
    .updateTable('releases')
    .set({ manifest_id: fresh })
    .where('manifest_id', '=', id)
    .execute();
  await trx
    .updateTable('kept_manifests')
    .set({ manifest_id: fresh })
    .where('manifest_id', '=', id)
    .execute();
  await trx.deleteFrom('manifests').where('id', '=', id).execute();
}
