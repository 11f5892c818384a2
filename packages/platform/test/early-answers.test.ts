// A client that is still sending can read the error, and can reuse the connection.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

/** More than the buffers of two sockets, so the client can send it only if the server reads it. */
const BODY_BYTES = 24 * 1024 * 1024;
const CHUNK = Buffer.alloc(256 * 1024, 65);
const MULTIPART = 'multipart/form-data; boundary=b';
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

let platform: OpenPlatform;
let ada: Person;
let bob: Person;
let player: Person;
let id = '';
before(async () => {
  platform = await openPlatform({
    limits: { build_zip_bytes: 32 * 1024 * 1024, upload_silence_seconds: 600 },
  });
  ada = await platform.person('Ada');
  bob = await platform.person('Bob');
  player = await platform.person('Pia', 'player');
  id = (await ada.client.call('createProject', { body: { title: 'Early' } })).game.id;
  await publishBuild(ada.client, id, '1', { 'index.html': 'one' });
});
after(() => platform[Symbol.asyncDispose]());

type Upload = {
  readonly credential: string;
  readonly path?: string;
  readonly method?: string;
  readonly type?: string;
  readonly length?: number;
  /** More header lines, each with its line end. */
  readonly more?: string;
  readonly first: string;
};

function part(name: string, text: string, filename = ''): string {
  const file = filename === '' ? '' : `; filename="${filename}"`;
  return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}`;
}

const beginning = (version: string): string =>
  `${part('version', `${version}\r\n`)}${part('build', '', 'b.zip')}`;

/** Opens a connection and sends the headers and the first bytes of the upload. */
function begin(upload: Upload): Socket {
  const { credential, method = 'POST', type = MULTIPART, length = BODY_BYTES, first } = upload;
  const { more = '' } = upload;
  const socket = connectBounded(platform.running.port);
  const path = upload.path ?? `/projects/${id}/publish`;
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${credential}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n${more}\r\n${first}`,
  );
  return socket;
}

/** Sends the whole body and another request before it reads anything. Returns both answers. */
async function sendAllThenRead(upload: Upload): Promise<string> {
  const socket = begin(upload);
  for (let left = BODY_BYTES - upload.first.length; left > 0; left -= CHUNK.length) {
    if (!socket.write(CHUNK.subarray(0, left))) await once(socket, 'drain');
  }
  socket.write(HEALTH);
  return readToEnd(socket);
}

async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test('an upload that is rejected at its start is discarded, and the connection stays usable', async () => {
  const refused: [code: string, upload: Upload][] = [
    ['401 unauthenticated', { credential: 'svc_x', first: beginning('2') }],
    ['403 developer_required', { credential: player.idToken, first: beginning('2') }],
    ['403 not_owner', { credential: bob.idToken, first: beginning('2') }],
    ['404 not_found', { credential: ada.idToken, path: '/projects/x/publish', first: '--b' }],
    ['405 method_not_allowed', { credential: ada.idToken, method: 'PUT', first: '--b' }],
    ['415 unsupported_media_type', { credential: ada.idToken, type: 'text/plain', first: 'x' }],
    ['409 version_exists', { credential: ada.idToken, first: beginning('1') }],
    ['400 invalid_input', { credential: ada.idToken, first: beginning('no version') }],
    ['400 invalid_input', { credential: ada.idToken, first: part('other', '', 'x') }],
    ['413 image_too_large', largeCover()],
  ];
  for (const [expected, upload] of refused) {
    const [status, code] = expected.split(' ');
    const text = await sendAllThenRead(upload);
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), expected);
    assert.match(text, new RegExp(`"code":"${code}"`), expected);
    assert.match(text, /HTTP\/1\.1 200 [\s\S]*\{"ok":true\}$/, `after ${expected}`);
  }
  await publishBuild(ada.client, id, '2', { 'index.html': 'two' });
});

test('an upload during another publish of the project is rejected while it is being sent', async () => {
  const expecting = { more: 'Expect: 100-continue\r\n', first: '' };
  const running = begin({ credential: ada.idToken, ...expecting });
  // The server asks for the body when the publish has begun.
  const [answer] = await once(running, 'data', { signal: AbortSignal.timeout(60_000) });
  assert.equal(String(answer), 'HTTP/1.1 100 Continue\r\n\r\n');
  running.write(beginning('3'));
  const text = await sendAllThenRead({ credential: ada.idToken, first: beginning('4') });
  assert.match(text, /^HTTP\/1\.1 409 [\s\S]*"code":"publish_in_progress"/);
  assert.match(text, /HTTP\/1\.1 200 [\s\S]*\{"ok":true\}$/);
  running.destroy();
});

test('a body of the wrong type or size is rejected before it is read', async () => {
  // Another project, because the aborted upload above may still hold the first one.
  const { game } = await ada.client.call('createProject', { body: { title: 'Early bodies' } });
  const early: [code: string, upload: Upload][] = [
    [
      'unsupported_media_type',
      { credential: ada.idToken, type: 'application/json', first: '{"version":"' },
    ],
    ['unsupported_media_type', { credential: ada.idToken, type: 'text/plain', first: '' }],
    ['payload_too_large', { credential: ada.idToken, length: 200 * 1024 * 1024, first: '--b' }],
  ];
  for (const path of [`/projects/${game.id}/publish`, `/projects/${game.id}/store`]) {
    for (const [code, upload] of early) {
      const method = path.endsWith('store') ? 'PUT' : 'POST';
      const length = method === 'PUT' && code === 'payload_too_large' ? 600 * 1024 * 1024 : null;
      const socket = begin({ ...upload, path, method, ...(length === null ? {} : { length }) });
      // Nothing more is sent, and the answer still arrives.
      let text = '';
      for await (const chunk of socket) {
        text += String(chunk);
        if (text.includes('"code"')) break;
      }
      assert.match(text, new RegExp(`"code":"${code}"`), `${path} ${upload.type}`);
    }
  }
});

test('an upload that its headers rule out is rejected without 100 Continue, any other error comes after it', async () => {
  const expecting = { more: 'Expect: 100-continue\r\n', first: '' };
  const { game } = await ada.client.call('createProject', { body: { title: 'Expecting' } });
  const uploads = [
    { path: `/projects/${game.id}/publish`, method: 'POST' },
    { path: `/projects/${game.id}/publish?dry_run=true`, method: 'POST' },
    { path: `/projects/${game.id}/store`, method: 'PUT' },
  ];
  const refused: [code: string, upload: Partial<Upload>][] = [
    ['401 unauthenticated', { credential: 'svc_x' }],
    ['403 developer_required', { credential: player.idToken }],
    ['403 not_owner', { credential: bob.idToken }],
    ['413 payload_too_large', { length: 900 * 1024 * 1024 }],
    ['415 unsupported_media_type', { type: 'text/plain' }],
  ];
  for (const upload of uploads) {
    for (const [expected, change] of refused) {
      const [status, code] = expected.split(' ');
      const credential = ada.idToken;
      const text = await readToEnd(begin({ ...expecting, ...upload, credential, ...change }));
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), `${upload.path} ${expected}`);
      assert.match(text, new RegExp(`"code":"${code}"`));
    }
  }
  const json = { type: 'application/json', path: '/projects', length: 17, credential: 'svc_x' };
  assert.match(await readToEnd(begin({ ...expecting, ...json })), /^HTTP\/1\.1 401 /);

  const body = `${part('metadata', '{"tagline":"Waited"}\r\n')}--b--\r\n`;
  const store = { ...expecting, path: `/projects/${game.id}/store`, method: 'PUT' };
  const socket = begin({ ...store, credential: ada.idToken, length: body.length });
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(body);
    if (text.includes('"Waited"')) break;
  }
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
});

test('an upload is accepted up to the sum of its parts’ limits plus the form’s overhead, and not beyond', async () => {
  const { image_bytes, screenshots, trailer_bytes } = PLATFORM_LIMITS;
  const MIB = 1024 * 1024;
  const { game } = await ada.client.call('createProject', { body: { title: 'Early sizes' } });
  const uploads: [path: string, method: string, most: number][] = [
    [`/projects/${game.id}/publish`, 'POST', 32 * MIB],
    [`/projects/${game.id}/store`, 'PUT', (2 + screenshots) * image_bytes + trailer_bytes],
    ['/me/avatar', 'PUT', image_bytes],
  ];
  for (const [path, method, most] of uploads) {
    const begun = (length: number) =>
      begin({
        ...{ credential: ada.idToken, path, method, length, first: '' },
        more: 'Expect: 100-continue\r\n',
      });
    // The larger one first: an accepted and aborted upload may hold the project for a moment.
    assert.match(await readToEnd(begun(most + 2 * MIB)), /^HTTP\/1\.1 413 /, path);
    const socket = begun(most + 16 * 1024);
    const [first] = await once(socket, 'data', { signal: AbortSignal.timeout(60_000) });
    socket.destroy();
    assert.equal(String(first), 'HTTP/1.1 100 Continue\r\n\r\n', path);
  }
});

function largeCover(): Upload {
  const first = `${part('metadata', '{}\r\n')}${part('cover', '', 'c.png')}`;
  return { credential: ada.idToken, method: 'PUT', path: `/projects/${id}/store`, first };
}
