// The OpenAPI document. It is made from the rows and schemas with which the routes are registered.
import swagger from '@fastify/swagger';
import { ErrorBody } from '@svc/contracts/errors';
import {
  DryRunAnswer,
  PLATFORM_ERRORS,
  type PlatformErrorCode,
  QUERIES,
  REQUESTS,
  ReadyAnswer,
  ROUTES,
  type RouteRow,
} from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import { Type } from 'typebox';
import manifest from '../../package.json' with { type: 'json' };
import type { Platform } from '../platform.ts';

const ROWS: readonly RouteRow[] = Object.values(ROUTES);
const Binary = Type.Unsafe<string>({ type: 'string', format: 'binary' });

/** The parts of multipart bodies. Fastify does not validate them. */
const FORMS = {
  [ROUTES.publish.path]: Type.Object({
    version: REQUESTS.PublishFields.properties.version,
    notes: REQUESTS.PublishFields.properties.notes,
    build: Binary,
  }),
  [ROUTES.uploadAvatar.path]: Type.Object({ avatar: Binary }),
  [ROUTES.updateStore.path]: Type.Object({
    metadata: REQUESTS.StoreMetadata,
    banner: Type.Optional(Binary),
    cover: Type.Optional(Binary),
    screenshots: Type.Optional(Type.Array(Binary)),
    trailer: Type.Optional(Binary),
  }),
};

/** Codes of all routes. */
const EVERYWHERE: readonly PlatformErrorCode[] = [
  'invalid_input',
  'rate_limited',
  'internal',
  'busy',
  'unavailable',
  'shutting_down',
];
const WITH_CREDENTIAL: readonly PlatformErrorCode[] = [
  'unauthenticated',
  'session_required',
  'token_revoked',
  'token_expired',
  'session_ended',
  'account_suspended',
  'identity_unavailable',
];

const WITH_BODY: readonly PlatformErrorCode[] = [
  'payload_too_large',
  'unsupported_media_type',
  'request_timeout',
];

/** Registers `GET /openapi.json`. Call it before the routes are registered, because it collects their schemas. */
export async function describeApi(app: App, platform: Platform): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'svc publishing platform',
        version: manifest.version,
        description: 'Publishing, accounts, catalog and play. Times are ISO 8601 UTC, ids UUIDv7.',
      },
      components: {
        securitySchemes: {
          session: {
            type: 'openIdConnect',
            description: 'An ID token, as Authorization: Bearer …',
            openIdConnectUrl: `${platform.providers[0].issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
          },
          token: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'A personal access token, as Authorization: Bearer svc_…',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const row = ROWS.find((one) => one.path === url && one.method === route.method);
      return { url, schema: row === undefined ? schema : describeRow(row, schema) };
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      const described = document.openapiObject;
      Object.assign(described, { servers: [{ url: platform.addresses.publicUrl }] });
      Object.assign(described.paths ?? {}, filePaths());
      return described;
    },
  });
  app.get(
    '/openapi.json',
    {
      exposeHeadRoute: true,
      schema: {
        summary: 'This document',
        querystring: QUERIES.none,
        response: { 200: Type.Object({}, { description: 'This document' }) },
      },
    },
    async (_request, reply) => reply.header('cache-control', 'no-cache').send(app.swagger()),
  );
}

function describeRow(row: RouteRow, schema: object) {
  const form = Object.entries(FORMS).find(([path]) => path === row.path)?.[1];
  return {
    ...schema,
    ...(row.takes === 'multipart' && form !== undefined
      ? { consumes: ['multipart/form-data'], body: form }
      : {}),
    ...(row.takes === 'form' ? { consumes: ['application/x-www-form-urlencoded'] } : {}),
    ...(row.takes === 'stream' ? { consumes: ['application/octet-stream'], body: Binary } : {}),
    ...(row.auth === 'public' ? {} : { security: securityOf(row) }),
    response: { ...goodAnswers(row), ...errorAnswers(row), ...notReady(row) },
  };
}

function goodAnswers(row: RouteRow): Record<string, object> {
  const made = row.answer === null ? emptyAnswer(row) : { ...row.answer, description: row.summary };
  if (row.path === ROUTES.downloadBuild.path) {
    const away = { description: 'Redirect to a temporary address of the file store' };
    return { [row.status]: made, 302: Type.Null(away) };
  }
  if (row.path !== ROUTES.publish.path && row.path !== ROUTES.publishUpload.path)
    return { [row.status]: made };
  return {
    [row.status]: { ...made, description: 'Published: the release is live' },
    200: { ...DryRunAnswer, description: 'The result of a dry run. Nothing is stored' },
  };
}

/** The only 503 without an error envelope. */
function notReady(row: RouteRow): Record<string, object> {
  if (row.path !== ROUTES.ready.path) return {};
  return { 503: { ...ReadyAnswer, description: 'Not ready' } };
}

function securityOf(row: RouteRow) {
  return row.auth === 'session' ? [{ session: [] }] : [{ session: [] }, { token: [] }];
}

function emptyAnswer(row: RouteRow) {
  return row.status === 204
    ? Type.Null({ description: 'Done' })
    : Type.Unsafe<string>({ type: 'string', format: 'binary', description: 'The file' });
}

/** Returns one answer for each status. Its description lists the codes. */
function errorAnswers(row: RouteRow): Record<string, object> {
  const codes = new Set([
    ...row.errors,
    ...EVERYWHERE,
    ...(row.takes === 'none' ? [] : WITH_BODY),
    ...(row.method === 'GET' ? [] : (['storage_full'] as const)),
    ...(row.auth === 'public' ? [] : WITH_CREDENTIAL),
    ...(row.developer ? (['developer_required'] as const) : []),
    ...(row.admin ? (['admin_required'] as const) : []),
    ...(row.auth === 'session' ? (['session_only'] as const) : []),
    ...(row.auth === 'read' || row.auth === 'publish' ? (['scope_missing'] as const) : []),
  ]);
  const byStatus = new Map<number, PlatformErrorCode[]>();
  for (const code of codes) {
    const { status } = PLATFORM_ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      String(status),
      { ...ErrorBody, description: names.map((name) => `\`${name}\``).join(', ') },
    ]),
  );
}

/** The paths that are answered before Fastify. */
function filePaths() {
  const path = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
  const answers = {
    200: { description: 'The file' },
    206: { description: 'A part of it' },
    304: { description: 'Not changed' },
    404: { description: '`not_found`' },
    416: { description: '`range_not_satisfiable`' },
    503: { description: '`unavailable`' },
  };
  const away = {
    302: {
      description:
        'Redirect to the address with a slash, to the host of the game, or to the slug at which it is played',
    },
  };
  const get = (summary: string, names: string[], responses: object = answers) => {
    const operation = { summary, parameters: names.map(path), responses };
    return { get: operation, head: operation };
  };
  return {
    '/play/{slug}/{path}': get(
      'A file of a published game. The root is index.html',
      ['slug', 'path'],
      { ...answers, ...away },
    ),
    '/media/avatars/{file}': get('The picture of a user, at a URL from another answer', ['file']),
    '/media/{project}/{file}': get(
      'An image or trailer, at a URL from another answer. For a draft, the URL has a signature',
      ['project', 'file'],
    ),
  };
}
