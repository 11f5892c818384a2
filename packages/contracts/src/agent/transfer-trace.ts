// Imports and exports a trace: the calls of the client whose headers have a meaning.
import type { Bytes } from '../route.ts';
import { type AgentClient, AgentError } from './client.ts';
import { TRACE_NAME_HEADER, TRACE_PARTIAL_HEADER } from './routes.ts';
import type { TraceSummary } from './trace-summary.ts';

/** Imports a trace. By default, the agent chooses its name. */
export async function importTrace(
  client: AgentClient,
  bytes: Bytes,
  name?: string,
  signal?: AbortSignal,
): Promise<TraceSummary> {
  const headers: Record<string, string> =
    name === undefined ? {} : { [TRACE_NAME_HEADER]: encodeURIComponent(name) };
  return (await client.call('import_trace', { bytes, headers, signal })).trace;
}

/**
 * An exported trace: a stream of its bytes, whether its end is missing, and the offset of the first
 * byte.
 */
export type TraceExport = {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly partial: boolean;
  readonly from: number;
  readonly response: Response;
};

/** Exports from byte `from` on. Null if the trace has no bytes there yet. */
export async function exportTrace(
  client: AgentClient,
  from = 0,
  signal?: AbortSignal,
): Promise<TraceExport | null> {
  const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
  try {
    const response = await client.open('export_trace', { headers, signal });
    const partial = response.headers.get(TRACE_PARTIAL_HEADER) === 'true';
    const { status, body } = response;
    return { body, partial, from: status === 206 ? from : 0, response };
  } catch (error) {
    if (error instanceof AgentError && error.code === 'range_not_satisfiable') return null;
    throw error;
  }
}
