// POST /api/trace and GET /api/trace: import and export the retained trace, byte for byte. Notes
// that were added to it are inserted into an export.
import { type ImportAnswer, TRACE_NAME_HEADER, TRACE_PARTIAL_HEADER } from '@svc/contracts/agent';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../failure.ts';
import type { HandleRoute } from '../handle-route.ts';
import type { ExclusiveSlot } from '../work/exclusive-slot.ts';
import type { StartWorker } from '../work/start-worker.ts';
import { IMPORT_TOO_SLOW } from './arrival.ts';
import { tooLarge } from './import-errors.ts';
import { importTrace } from './import-trace.ts';
import type { LastExports } from './last-exports.ts';
import { RangeStream } from './range-stream.ts';
import type { RetainedTrace, TraceHolder } from './retained-trace.ts';
import type { TraceRole } from './trace-thread.ts';

const NAME_CHARACTERS = 200;

/** The part of a session that imports and exports traces. */
type ImportingSession = TraceHolder & {
  /** Whether a capture is running. It is also true after its file has reached the storage cap. */
  readonly isCapturing: boolean;
  /** Whether the session has ended and the capture is on disk. */
  readonly hasEnded: boolean;
  /** Throws `capturing` if an import would replace the trace of a capture. */
  refuseImport(): void;
  /** Replaces the retained trace. Throws `capturing` if a capture has begun meanwhile. */
  retainImport(trace: RetainedTrace): Promise<void>;
};

type TraceParts = {
  readonly session: ImportingSession;
  readonly slot: ExclusiveSlot;
  readonly startWorker: StartWorker<TraceRole>;
  readonly lastExports: LastExports;
  readonly dataDir: string;
  readonly limitBytes: number;
  readonly requestMs: number;
};

export function registerTraceRoutes(handleRoute: HandleRoute, parts: TraceParts): void {
  const { session, lastExports } = parts;
  handleRoute('import_trace', async ({ request }) => importFrom(request, parts), {
    late: { too_slow: IMPORT_TOO_SLOW, too_long: IMPORT_TOO_SLOW },
  });
  handleRoute(
    'export_trace',
    async ({ request, reply }) => {
      if (session.hasEnded) lastExports.count();
      return exportTrace(session, request.headers.range, reply);
    },
    { whileClosing: true },
  );
}

/** Replaces the retained trace with the body of the request. */
async function importFrom(request: FastifyRequest, parts: TraceParts): Promise<ImportAnswer> {
  const { session, slot, limitBytes } = parts;
  session.refuseImport();
  using _ = slot.take();
  const length = request.headers['content-length'];
  const expectedBytes = length === undefined ? null : Number(length);
  if (expectedBytes !== null && expectedBytes > limitBytes) throw tooLarge(limitBytes);
  const name = nameFrom(request.headers[TRACE_NAME_HEADER]);
  const options = { ...parts, expectedBytes, signal: request.abortSignal };
  const trace = await importTrace(request.raw, name, options);
  await session.retainImport(trace);
  return { trace: trace.summary };
}

/** Answers with the retained trace, or with the part of it that `range` requests. */
function exportTrace(
  session: ImportingSession,
  range: string | undefined,
  reply: FastifyReply,
): FastifyReply {
  const opened = session.retained?.open() ?? null;
  if (session.retained === null || opened === null) {
    throw failure('no_trace', 'Cannot export: nothing has been captured or imported yet');
  }
  const { lease, insertion } = opened;
  const bytes = opened.bytes + (insertion?.bytes.length ?? 0);
  const start = rangeStart(range);
  if (start !== null && start >= bytes) {
    lease[Symbol.dispose]();
    throw failure(
      'range_not_satisfiable',
      `Cannot export from byte ${start}: the trace has ${bytes}`,
      { headers: { 'Content-Range': `bytes */${bytes}` } },
    );
  }
  const { name, partial } = session.retained.summary;
  setHeaders(reply, name, partial || session.isCapturing);
  if (start !== null) {
    reply.code(206).header('content-range', `bytes ${start}-${bytes - 1}/${bytes}`);
  }
  const from = start ?? 0;
  reply.header('content-length', bytes - from);
  return reply.send(new RangeStream(lease, from, bytes, insertion));
}

function setHeaders(reply: FastifyReply, name: string, partial: boolean): void {
  const file = name
    .replace(/\.gz$/i, '')
    .replace(/(\.vpt|\.folded|\.cpuprofile|\.json|\.csv)?(\.partial)?$/i, '.vpt');
  const plain = file.replaceAll(/[^ -~]|["\\]/g, '_');
  reply.headers({
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encodeRfc5987(file)}`,
    'accept-ranges': 'bytes',
    [TRACE_PARTIAL_HEADER]: String(partial),
  });
}

function encodeRfc5987(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * The N of `bytes=N-`. Null for no range or another form of range, which is answered with the whole
 * trace.
 */
function rangeStart(range: string | undefined): number | null {
  const digits = /^bytes=(\d+)-$/i.exec(range ?? '')?.[1];
  return digits === undefined ? null : Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}

/**
 * A display name from the header, which is percent-encoded or plain UTF-8. Folders and control
 * characters are removed.
 */
function nameFrom(header: string | string[] | undefined): string {
  const raw = Buffer.from([header ?? ''].flat()[0] ?? '', 'latin1').toString('utf8');
  const name = decoded(raw).replaceAll(/\p{C}/gu, '').split(/[\\/]/).at(-1)?.trim();
  return name === undefined || name === ''
    ? 'imported'
    : [...name].slice(0, NAME_CHARACTERS).join('');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
