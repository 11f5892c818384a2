// The site with a fake API that returns what a test sets and records its requests.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type {
  Account,
  Game,
  Media,
  Preview,
  Provenance,
  Publisher,
  Release,
  StorePage,
} from '@svc/contracts/platform';
import { logTo } from '@svc/observe/testing';
import { type RunningWeb, startWeb, type WebOptions } from '../src/index.ts';
import { createSealedCookies } from '../src/session/sealed-cookies.ts';
import type { Session } from '../src/session/session.ts';

type Asked = {
  /** Method and path, such as `GET /home`. */
  readonly route: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Whether the caller has disconnected or received its response. */
  over: boolean;
};

/**
 * The response of a route: JSON with status 200, or a complete response. Or a fault: `hang` for no response, `drop` for a
 * connection that ends without one, `cut` for one that ends within it.
 */
export type StandInAnswer =
  | { readonly json: unknown }
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly text: string;
    }
  | 'hang'
  | 'drop'
  | 'cut';

export type StandInApi = {
  readonly url: string;
  readonly asked: Asked[];
  /** Responses by method and path. Other paths return 404. */
  readonly answers: Record<
    string,
    StandInAnswer | ((asked: Asked) => StandInAnswer | Promise<StandInAnswer>)
  >;
};

/** An error response of the API. */
export function apiError(
  status: number,
  code: string,
  message = 'No',
  headers: Readonly<Record<string, string>> = {},
): StandInAnswer {
  const text = JSON.stringify({ error: { code, message } });
  return { status, headers: { 'content-type': 'application/json', ...headers }, text };
}

/** Starts the API. It is closed at the end of the test. */
export async function startStandInApi(t: TestContext): Promise<StandInApi> {
  const asked: Asked[] = [];
  const answers: StandInApi['answers'] = {
    'GET /limits': { json: { limits: {}, media_origin: 'https://media.example' } },
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api.example');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const one: Asked = {
        route: `${request.method} ${pathname}`,
        query: Object.fromEntries(searchParams),
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        over: false,
      };
      response.once('close', () => {
        one.over = true;
      });
      asked.push(one);
      const set = answers[one.route] ?? apiError(404, 'not_found');
      const answer = typeof set === 'function' ? await set(one) : set;
      if (answer === 'hang') return;
      if (answer === 'drop') return void request.socket.destroy();
      if (answer === 'cut') return cutOff(response);
      const [status, headers, text] =
        'json' in answer
          ? [200, { 'content-type': 'application/json' }, JSON.stringify(answer.json)]
          : [answer.status, answer.headers ?? {}, answer.text];
      response.writeHead(status, headers).end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, answers };
}

function cutOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{', () => response.destroy());
}

export type StandInSite = {
  readonly api: StandInApi;
  readonly web: RunningWeb;
  /** The lines of the log. */
  readonly lines: string[];
  /** Returns the `Cookie` header of a signed-in user. */
  cookie(session?: Partial<Session>): Promise<string>;
  /** Sends a request to the site without following redirects. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** Returns the text of a page. */
  read(path: string, init?: RequestInit): Promise<string>;
  /** Sends a form as a page of the site would. */
  send(
    path: string,
    form: Record<string, string> | URLSearchParams | FormData,
    headers?: Record<string, string>,
  ): Promise<Response>;
};

export const SECRET = 'a secret of thirty-two characters';
const PATIENCE_MS = 60_000;

/** Starts the site with a fake API. Both are closed at the end of the test. */
export async function openStandIn(
  t: TestContext,
  options: Partial<WebOptions> = {},
): Promise<StandInSite> {
  const api = await startStandInApi(t);
  const lines: string[] = [];
  const log = logTo((line) => lines.push(line));
  const web = await startWeb({ apiUrl: api.url, port: 0, secret: SECRET, log, ...options });
  t.after(() => web.close());
  const base = `http://127.0.0.1:${web.port}`;
  const cookies = createSealedCookies([SECRET], web.origin.startsWith('https:'));
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(base + path, {
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...init,
    });
  return {
    api,
    web,
    lines,
    ask,
    read: async (path, init) => (await ask(path, init)).text(),
    async cookie(session = {}) {
      const value: Session = {
        uid: ADA.uid,
        name: ADA.name,
        idToken: 'ada-token',
        refreshToken: null,
        expiresAt: Date.now() + 3_600_000,
        signedInAt: Date.now(),
        isChecked: true,
        ...session,
      };
      const lines = await cookies.seal('svc_session', value, 3600);
      return lines
        .filter((line) => !line.includes('=;'))
        .map((line) => line.split(';')[0])
        .join('; ');
    },
    send(path, form, headers = {}) {
      const body = form instanceof FormData ? form : new URLSearchParams(form);
      const own = { origin: web.origin, 'sec-fetch-site': 'same-origin' };
      return ask(path, { method: 'POST', body, headers: { ...own, ...headers } });
    },
  };
}

const TIME = '2026-03-01T10:20:30.000Z';

export const ADA: Account = {
  uid: 'ada-uid',
  name: 'Ada',
  avatar: null,
  created_at: TIME,
  email: null,
  role: 'developer',
};

/** A published game. */
export function gameOf(more: Partial<Game> = {}): Game {
  return {
    id: 'moon-id',
    developer_uid: ADA.uid,
    title: 'Moon',
    slug: 'moon',
    engine: 'godot',
    tagline: null,
    tags: [],
    category: null,
    status: 'published',
    version: '1.0.0',
    build_url: null,
    cover_url: null,
    play_url: 'https://play.example/play/moon/',
    created_at: TIME,
    updated_at: '2026-03-02T00:00:00.000Z',
    published_at: '2026-03-01T12:00:00.000Z',
    ...more,
  };
}

/** A live release. */
export function releaseOf(more: Partial<Release> = {}): Release {
  return {
    id: 'release-id',
    version: '1.0.0',
    notes: null,
    created_at: TIME,
    live: true,
    staged: false,
    zip_bytes: 2048,
    expanded_bytes: 4096,
    file_count: 1,
    digest: 'sha256:0',
    isolation: 'credentialless',
    ...more,
  };
}

/** A link without a name that was never used. */
export function previewOf(more: Partial<Preview> = {}): Preview {
  return {
    id: 'link-id',
    name: null,
    version: '2.0.0',
    url: 'https://play.example/play/moon/.preview/link-id.key/',
    created_at: TIME,
    expires_at: '2026-03-15T10:20:30.000Z',
    last_used_at: null,
    ...more,
  };
}

/** A repository on GitHub whose runs may publish from one branch, and have not yet. */
export function publisherOf(more: Partial<Publisher> = {}): Publisher {
  return {
    id: 'publisher-id',
    provider: 'github',
    issuer: 'https://token.actions.githubusercontent.com',
    audience: 'https://api.example',
    repository: 'acme/moonhop',
    repository_id: null,
    subject: null,
    branch: 'main',
    environment: null,
    workflow: null,
    created_at: TIME,
    last_used_at: null,
    ...more,
  };
}

/** A run of that repository. */
export function provenanceOf(more: Partial<Provenance> = {}): Provenance {
  const commit = `abc1234${'0'.repeat(33)}`;
  return {
    issuer: 'https://token.actions.githubusercontent.com',
    subject: 'repo:acme/moonhop:ref:refs/heads/main',
    repository: 'acme/moonhop',
    ref: 'main',
    commit,
    commit_url: `https://github.com/acme/moonhop/commit/${commit}`,
    run_url: 'https://github.com/acme/moonhop/actions/runs/77',
    ...more,
  };
}

/** An image. */
export function mediaOf(more: Partial<Media> = {}): Media {
  return {
    id: 'shot',
    kind: 'image',
    url: 'https://media.example/shot.png',
    type: 'image/png',
    width: 800,
    height: 500,
    bytes: 1000,
    alt: null,
    variants: [],
    ...more,
  };
}

/** An empty page. */
export function pageOf(more: Partial<StorePage> = {}): StorePage {
  return {
    tagline: null,
    description: null,
    category: null,
    tags: [],
    layout: { template: 'classic', theme: 'auto', accent: null, sections: [] },
    banner: null,
    cover: null,
    screenshots: [],
    trailer: null,
    ...more,
  };
}
