// A small S3 server in memory that fails as a test wants. It checks no signatures.
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request whose body has arrived. `key` has no bucket. */
export type FakeRequest = {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Answers a request in place of the server. Returns false to let the server answer. */
export type Fault = (request: FakeRequest, response: ServerResponse) => boolean;

type FakeObject = { readonly body: Buffer; readonly writer: string };

export type FakeS3 = AsyncDisposable & {
  readonly endpoint: string;
  readonly objects: Map<string, FakeObject>;
  /** The uploads in parts that are in progress, by their id. */
  readonly uploads: Map<string, { readonly key: string; readonly parts: Map<number, Buffer> }>;
  /** The methods and keys of all requests. */
  readonly requests: string[];
  /** The number of open connections. */
  readonly open: number;
  fault: Fault | null;
};

export async function startFakeS3(): Promise<FakeS3> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    void receive(request).then(
      (received) => {
        fake.requests.push(
          `${received.method} ${received.key}${received.query.size > 0 ? '?' : ''}${[...received.query.keys()]}`,
        );
        if (fake.fault?.(received, response) !== true) answer(fake, received, response);
      },
      () => {},
    );
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeS3 = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects: new Map(),
    uploads: new Map(),
    requests: [],
    get open() {
      return sockets.size;
    },
    fault: null,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

async function receive(request: IncomingMessage): Promise<FakeRequest> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return {
    method: request.method ?? '',
    key: decodeURIComponent(pathname).split('/').slice(2).join('/'),
    query: searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks),
  };
}

/** Answers with an error of S3. */
export function refuse(response: ServerResponse, status: number, code: string): true {
  return send(response, status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

export function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer = '',
  headers: Readonly<Record<string, string>> = {},
): true {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
  return true;
}

function answer(fake: FakeS3, request: FakeRequest, response: ServerResponse): void {
  const { method, key, query, body } = request;
  if (query.has('uploads') || query.has('uploadId')) answerUpload(fake, request, response);
  else if (method === 'PUT') put(fake, request, response);
  else if (method === 'POST' && query.has('delete')) {
    for (const [, name = ''] of body.toString().matchAll(/<Key>(.*?)<\/Key>/g))
      fake.objects.delete(name);
    send(response, 200, '<DeleteResult/>');
  } else if (query.has('list-type')) list(fake, query, response);
  else get(fake.objects.get(key), request, response);
}

function put({ objects }: FakeS3, { key, headers, body }: FakeRequest, response: ServerResponse) {
  if (headers['if-none-match'] === '*' && objects.has(key)) {
    return refuse(response, 412, 'PreconditionFailed');
  }
  objects.set(key, { body, writer: String(headers['x-amz-meta-writer']) });
  return send(response, 200);
}

function get(
  object: FakeObject | undefined,
  { method, headers }: FakeRequest,
  response: ServerResponse,
) {
  if (object === undefined) return refuse(response, 404, 'NoSuchKey');
  const { body, writer } = object;
  if (method === 'HEAD') {
    response.writeHead(200, { 'content-length': body.length, 'x-amz-meta-writer': writer }).end();
    return true;
  }
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (from === undefined) return send(response, 200, body);
  const part = body.subarray(Number(from), Number(to) + 1);
  if (part.length === 0) return refuse(response, 416, 'InvalidRange');
  const range = `bytes ${from}-${Number(from) + part.length - 1}/${body.length}`;
  return send(response, 206, part, { 'content-range': range });
}

const PAGE = 2;

/** Lists two objects at a time. */
function list({ objects }: FakeS3, query: URLSearchParams, response: ServerResponse) {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, PAGE);
  const contents = page.map(
    (key) =>
      `<Contents><Key>${key}</Key><Size>${objects.get(key)?.body.length}</Size><LastModified>2026-01-02T03:04:05.000Z</LastModified></Contents>`,
  );
  const more =
    keys.length > PAGE
      ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${page.at(-1)}</NextContinuationToken>`
      : '';
  return send(response, 200, `<ListBucketResult>${contents.join('')}${more}</ListBucketResult>`);
}

function answerUpload(
  fake: FakeS3,
  { method, key, query, body }: FakeRequest,
  response: ServerResponse,
) {
  const id = query.get('uploadId') ?? '';
  const upload = fake.uploads.get(id);
  if (query.has('uploads') && method === 'POST') {
    const added = `upload-${fake.requests.length}`;
    fake.uploads.set(added, { key, parts: new Map() });
    return send(response, 200, `<R><UploadId>${added}</UploadId></R>`);
  }
  if (query.has('uploads')) {
    const uploads = [...fake.uploads].filter(([, one]) =>
      one.key.startsWith(query.get('prefix') ?? ''),
    );
    const rows = uploads.map(
      ([name, one]) => `<Upload><Key>${one.key}</Key><UploadId>${name}</UploadId></Upload>`,
    );
    return send(
      response,
      200,
      `<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`,
    );
  }
  if (upload === undefined) return refuse(response, 404, 'NoSuchUpload');
  if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body);
    return send(response, 200, '', { etag: '"part"' });
  }
  fake.uploads.delete(id);
  if (method === 'DELETE') return send(response, 204);
  const parts = [...upload.parts].sort(([one], [other]) => one - other).map(([, bytes]) => bytes);
  fake.objects.set(key, { body: Buffer.concat(parts), writer: '' });
  return send(response, 200, '<CompleteMultipartUploadResult/>');
}
