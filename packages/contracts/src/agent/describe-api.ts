// The OpenAPI document of the agent, made from the rows with which its routes are registered.

import { ErrorBody } from '../errors.ts';
import { AGENT_ERRORS, type AgentErrorCode } from './codes.ts';
import { AGENT_ROUTES, type AgentRouteRow, COMMON_ERRORS } from './routes.ts';

/** Returns the document for a version of svc. */
export function describeAgentApi(version: string): object {
  const rows: readonly AgentRouteRow[] = Object.values(AGENT_ROUTES);
  const paths: Record<string, Record<string, object>> = {};
  for (const row of rows) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: describeRow(row) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc dashboard',
      version,
      description:
        'The API that svc dashboard serves on 127.0.0.1, for the user who started it. Times are ISO 8601 UTC, or milliseconds since the start of the trace.',
    },
    servers: [{ url: 'http://127.0.0.1:6767' }],
    security: [{ token: [] }],
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token in the fragment of the printed address.',
        },
      },
    },
    paths,
  };
}

function describeRow(row: AgentRouteRow): object {
  const success = [row.status, ...(row.partialStatus === undefined ? [] : [row.partialStatus])];
  return {
    operationId: nameOf(row),
    summary: row.summary,
    ...(row.takes === 'none' ? {} : { requestBody: bodyOf(row) }),
    responses: {
      ...Object.fromEntries(success.map((status) => [status, answerOf(row)])),
      ...refusalsOf([...COMMON_ERRORS, ...row.errors]),
    },
  };
}

function nameOf(row: AgentRouteRow): string {
  const found = Object.entries(AGENT_ROUTES).find(([, one]) => one === row);
  return found?.[0] ?? row.path;
}

function bodyOf({ takes, body }: AgentRouteRow): object {
  const isJson = takes === 'json';
  const schema = isJson ? body : { type: 'string', format: 'binary' };
  const type = isJson ? 'application/json' : 'application/octet-stream';
  return { required: true, content: { [type]: { schema } } };
}

function answerOf({ answer, status }: AgentRouteRow): object {
  if (answer !== null) {
    return { description: 'Done', content: { 'application/json': { schema: answer } } };
  }
  if (status !== 200) return { description: status === 101 ? 'A WebSocket' : 'Done' };
  const schema = { type: 'string' };
  return { description: 'The text of the trace', content: { 'text/plain': { schema } } };
}

/** The error answers by status. The description has the codes and their meanings. */
function refusalsOf(codes: readonly AgentErrorCode[]): Record<string, object> {
  const statuses = [...new Set(codes.map((code) => AGENT_ERRORS[code].status))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: [...new Set(codes)]
          .filter((code) => AGENT_ERRORS[code].status === status)
          .map((code) => `\`${code}\`: ${AGENT_ERRORS[code].means}`)
          .join(' '),
        content: { 'application/json': { schema: ErrorBody } },
      },
    ]),
  );
}
