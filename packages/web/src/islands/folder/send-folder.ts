// Publishes a folder: lists its files, sends the contents that the game does not have in parts, and publishes, stages or checks the build.
import type { Upload } from '@svc/contracts/platform';
import { BuildError } from '@svc/game-build/folder';
import { field, readFindings, readSent, type Sent } from '../send-form.ts';
import { CallError, callStore, jsonBody, TRANSPORT, type Transport } from './call-uploads.ts';
import { type Counter, countProgress, type Sending } from './count-progress.ts';
import { divideParts, type Piece } from './divide-parts.ts';
import { type HashedFile, hashFolder } from './hash-folder.ts';
import { inLanes } from './in-lanes.ts';
import { packPart } from './pack-part.ts';
import type { FolderPlan } from './plan-folder.ts';
import { FileChangedError, readBytes } from './read-file.ts';

const PARTS_AT_ONCE = 4;
/** How often an upload begins again because the platform has ended it. */
const TRIES = 3;
/** Codes of answers after which the upload begins again: it has ended, or parts of it were lost or damaged in the store. */
const ENDED: ReadonlySet<string> = new Set(['not_found', 'upload_incomplete', 'zip_crc_mismatch']);

export type FolderRequest = {
  readonly plan: FolderPlan;
  /** The address of the game's uploads. */
  readonly address: string;
  readonly version: string;
  readonly notes: string;
  /** Whether the build is only checked. */
  readonly isDry: boolean;
  /** Whether the build is staged: players do not get it. */
  readonly isStaged: boolean;
};

export type FolderProgress =
  /** The files are read. `share` is 0 to 1. */
  { readonly state: 'reading'; readonly share: number } | Sending | { readonly state: 'checking' };

type Job = FolderRequest & {
  readonly signal: AbortSignal;
  readonly report: (progress: FolderProgress) => void;
  readonly transport: Transport;
};

/** The hashes of the files of a plan, so that a second attempt does not read them again. */
const known = new WeakMap<FolderPlan, readonly HashedFile[]>();

/** Publishes, stages or checks the folder. The result is that of a ZIP file. Rejects only if there is a bug. */
export async function sendFolder(
  request: FolderRequest,
  signal: AbortSignal,
  report: (progress: FolderProgress) => void,
  transport: Transport = TRANSPORT,
): Promise<Sent> {
  const job: Job = { ...request, signal, report, transport };
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        const upload = await sendParts(job);
        return { state: 'done', answer: await publish(job, upload) };
      } catch (error) {
        const isEnded = error instanceof CallError && ENDED.has(error.code);
        if (!isEnded || attempt === TRIES) throw error;
        // A file may have changed without an error of the browser.
        if (error.code === 'zip_crc_mismatch') known.delete(request.plan);
      }
    }
  } catch (error) {
    if (error instanceof UncertainPublishError) return refused(UNCERTAIN);
    if (signal.aborted) return { state: 'stopped' };
    return describeEnd(error);
  }
}

const UNCERTAIN =
  'All files were uploaded, but the upload ended before the store answered. Reload this page to see whether the release is listed. If it is not, publish the folder again; its files are not uploaded twice.';

function describeEnd(error: unknown): Sent {
  if (error instanceof CallError) return readSent(error.reply);
  if (error instanceof FileChangedError) return refused(error.message);
  if (error instanceof BuildError) return describeRefusal(error);
  throw error;
}

/** The result for a folder that breaks a rule. */
export function describeRefusal({ findings }: BuildError): Sent {
  const message = 'The folder can’t be published. Nothing was uploaded.';
  return { state: 'refused', message, findings: readFindings(findings) };
}

function refused(message: string): Sent {
  return { state: 'refused', message, findings: [] };
}

async function hashOnce({ plan, signal, report }: Job): Promise<readonly HashedFile[]> {
  const before = known.get(plan);
  if (before !== undefined) return before;
  report({ state: 'reading', share: 0 });
  const files = await hashFolder(plan, signal, (share) => report({ state: 'reading', share }));
  known.set(plan, files);
  return files;
}

/** Opens or continues the upload, and sends all parts that have not arrived. */
async function sendParts(job: Job): Promise<Upload> {
  const { signal, report } = job;
  const files = await hashOnce(job);
  const counter = countProgress(report);
  const upload = await openUpload(job, files, counter);
  const missing = missingParts(upload);
  if (missing.length === 0) return upload;
  const contents = contentsOf(upload, files);
  const { piecesOf } = divideParts(
    contents.map(({ bytes }) => bytes),
    upload.part_bytes,
  );
  counter.open(upload.bytes, storedBytes(upload));
  await inLanes(missing, PARTS_AT_ONCE, signal, async (part, ended) => {
    const bytes = await readPieces(contents, piecesOf(part));
    await sendPart(job, { upload, part, bytes, counter, signal: ended });
  });
  return upload;
}

async function openUpload(
  { address, version, signal, report, transport }: Job,
  files: readonly HashedFile[],
  counter: Counter,
): Promise<Upload> {
  report({ state: 'uploading', sent: 0, total: 0, before: 0, isWaiting: false });
  const list = files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
  const answer = await callStore(transport, {
    address,
    body: jsonBody({ files: list, version }),
    signal,
    isRepeatable: true,
    onWait: counter.onWait,
  });
  // The record is that of the API.
  return field(answer, 'upload') as Upload;
}

type Part = {
  readonly upload: Upload;
  readonly part: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly counter: Counter;
  readonly signal: AbortSignal;
};

async function sendPart(
  { address, transport }: Job,
  { upload, part, bytes, counter, signal }: Part,
): Promise<void> {
  const onProgress = counter.part(bytes.length);
  await callStore(transport, {
    address: `${address}/${upload.id}/parts/${part}`,
    body: await packPart(bytes),
    signal,
    isRepeatable: true,
    onProgress,
    onWait: counter.onWait,
  });
  onProgress(1);
}

/** The files whose contents are sent, one after another. */
function contentsOf({ missing }: Upload, files: readonly HashedFile[]): HashedFile[] {
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  return missing.map((sha256) => {
    const file = byHash.get(sha256);
    if (file === undefined) throw new RangeError(`No file has the content ${sha256}`);
    return file;
  });
}

function missingParts({ part_count, received }: Upload): number[] {
  const stored = new Set(received);
  return Array.from({ length: part_count }, (_, part) => part).filter((part) => !stored.has(part));
}

/** The bytes of the parts that are stored. */
function storedBytes({ received, part_bytes, bytes }: Upload): number {
  return received.reduce((sum, part) => sum + Math.min(part_bytes, bytes - part * part_bytes), 0);
}

async function readPieces(
  contents: readonly HashedFile[],
  pieces: readonly Piece[],
): Promise<Uint8Array<ArrayBuffer>> {
  const all = await Promise.all(
    pieces.map(({ index, start, end }) => {
      const file = contents[index];
      if (file === undefined) throw new RangeError(`The upload has no content ${index}`);
      return readBytes(file, start, end);
    }),
  );
  const joined = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bytes of all) {
    joined.set(bytes, at);
    at += bytes.length;
  }
  return joined;
}

/** Publishes, stages or checks the upload. Returns the JSON of the store. */
async function publish(job: Job, { id }: Upload): Promise<unknown> {
  const { address, version, notes, isDry, isStaged, signal, report, transport } = job;
  report({ state: 'checking' });
  const body = jsonBody({ version, ...(notes === '' ? {} : { notes }) });
  const query = isDry ? '?dry_run=true' : isStaged ? '?stage=true' : '';
  const call = { address: `${address}/${id}/publish${query}`, body, signal, isRepeatable: isDry };
  try {
    return await callStore(transport, { ...call, onWait: () => report({ state: 'checking' }) });
  } catch (error) {
    if (isDry || !(error instanceof CallError) || !error.isUncertain) throw error;
    throw new UncertainPublishError();
  }
}

/** A publish was stopped, or its answer was lost. */
class UncertainPublishError extends Error {
  override readonly name = 'UncertainPublishError';
}
