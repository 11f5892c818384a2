// A sign-in whose browser returns with wrong parameters or from another address.
import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { CLIENT, type FakeProvider, startFakeProvider } from '@svc/contracts/testing';
import { until } from '../../../../scripts/until.ts';
import { temporaryFolder } from '../../test/svc.ts';
import { createNetwork } from '../network/network.ts';
import { createOutput } from '../output/output.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import { connect } from './connect.ts';
import { signIn } from './sign-in.ts';

type Begun = {
  /** The address that the person opens. */
  readonly address: URL;
  /** The parameters of that address. */
  readonly sent: Readonly<Record<string, string>>;
  /** The result: the ID token, or the error. */
  readonly outcome: Promise<unknown>;
  readonly interrupt: AbortController;
  /** The text on standard error so far. */
  readonly notes: () => string;
};

/** Starts a sign-in, up to the address that a person opens. With an environment, it also opens the browser. */
async function begin(
  t: TestContext,
  fake: FakeProvider,
  env: Readonly<Record<string, string>> | null = null,
): Promise<Begun> {
  const interrupt = new AbortController();
  const end = (text: string): void =>
    interrupt.abort(new ExitError(EXIT.interrupted, 'interrupted', text));
  const bound = setTimeout(() => end('waited 60 s for the sign-in to end'), 60_000);
  t.after(() => {
    clearTimeout(bound);
    end('The test has ended');
  });
  const io = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: Object.assign(new PassThrough(), { isTTY: env !== null }),
    env: env ?? {},
    cwd: '/',
    onSignal: () => () => {},
    raise: () => {},
    exit: () => assert.fail('exits'),
  };
  const output = createOutput(io, { json: false });
  const network = createNetwork(io);
  const { signal } = interrupt;
  const options = { api: fake.issuer, credential: null, source: null, signal, network };
  const platform = connect({ ...options, note: output.note });
  let text = '';
  const shown = new Promise<URL>((resolve) => {
    io.stderr.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const line = /\n\n {2}(http\S+)\n/.exec(text)?.[1];
      if (line !== undefined) resolve(new URL(line));
    });
  });
  const signingIn = signIn({ platform, io, output, open: env !== null, provider: null, signal });
  const outcome = signingIn.catch((error: unknown) => error);
  // It ends before it shows an address only if it fails.
  const address = await Promise.race([shown, signingIn.then(() => assert.fail('no address'))]);
  const sent = Object.fromEntries(address.searchParams);
  fake.claims = { nonce: sent['nonce'] };
  return { address, sent, outcome, interrupt, notes: () => text };
}

type Returned = { readonly status: number; readonly text: string; readonly headers: object };

/** Returns as a browser does. `host` is the Host header. */
function comeBack(
  { sent }: Begun,
  parameters: Readonly<Record<string, string>>,
  { path, host }: { readonly path?: string; readonly host?: string } = {},
): Promise<Returned> {
  const url = new URL(sent['redirect_uri'] ?? '');
  const { promise, resolve, reject } = Promise.withResolvers<Returned>();
  const target = `${path ?? url.pathname}?${new URLSearchParams(parameters)}`;
  const headers = { host: host ?? url.host };
  const options = { host: url.hostname, port: url.port, path: target, headers, agent: false };
  request(options, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    answer.on('end', () => {
      resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers });
    });
  })
    .on('error', reject)
    .end();
  return promise;
}

const EXIT_OF: Readonly<Record<string, number>> = {
  sign_in_refused: 3,
  sign_in_timeout: 3,
  identity_unavailable: 10,
  identity_unusable: 11,
};

function assertFailure(outcome: unknown, code: string, message: RegExp): void {
  assert.ok(outcome instanceof ExitError, String(outcome));
  assert.deepEqual([outcome.code, outcome.exitCode], [code, EXIT_OF[code]]);
  assert.match(outcome.message, message);
}

test('signIn sends a code challenge, and exchanges the code with its verifier', async (t) => {
  const fake = await startFakeProvider(t);
  const begun = await begin(t, fake);
  const { sent, address } = begun;
  assert.doesNotMatch(begun.notes(), /desktop/, 'no browser was asked for');
  assert.equal(address.origin + address.pathname, `${fake.issuer}/authorize`);
  assert.match(sent['redirect_uri'] ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const { code_challenge, state, nonce, redirect_uri, ...rest } = sent;
  assert.deepEqual(rest, {
    tenant: '1',
    client_id: CLIENT,
    response_type: 'code',
    scope: 'openid profile email',
    code_challenge_method: 'S256',
  });
  const returned = await comeBack(begun, { code: 'c0de', state: state ?? '' });
  assert.equal(returned.status, 200);
  assert.match(returned.text, /You are signed in/);
  assert.match(
    JSON.stringify(returned.headers),
    /"default-src 'none'; .*"no-store".*"no-referrer"/,
  );
  assert.match(String(await begun.outcome), /^eyJ[^.]+\.[^.]+\.[^.]+$/);
  const [asked = new URLSearchParams()] = fake.asked;
  const verifier = asked.get('code_verifier') ?? '';
  assert.equal(createHash('sha256').update(verifier).digest('base64url'), code_challenge);
  assert.deepEqual(Object.fromEntries(asked), {
    grant_type: 'authorization_code',
    client_id: CLIENT,
    code: 'c0de',
    code_verifier: verifier,
    redirect_uri,
  });
  // The listener is closed.
  await assert.rejects(comeBack(begun, { code: 'c0de', state: state ?? '' }));
  const other = await begin(t, fake);
  for (const name of ['state', 'nonce', 'code_challenge']) {
    assert.notEqual(other.sent[name], sent[name], name);
  }
  assert.ok((state ?? '').length >= 43 && (nonce ?? '').length >= 43);
});

test('signIn uses the client of the command line', async (t) => {
  const fake = await startFakeProvider(t);
  const { issuer } = fake;
  fake.config = { providers: [{ issuer, name: 'x', client_id: CLIENT, cli_client_id: 'svc-cli' }] };
  const begun = await begin(t, fake);
  fake.claims = { ...fake.claims, aud: 'svc-cli' };
  assert.equal(begun.sent['client_id'], 'svc-cli');
  await comeBack(begun, { code: 'c', state: begun.sent['state'] ?? '' });
  assert.match(String(await begun.outcome), /^eyJ/);
  assert.equal(fake.asked[0]?.get('client_id'), 'svc-cli');
});

test('signIn ignores a return with another state, to another path or for another host, and keeps waiting', async (t) => {
  const fake = await startFakeProvider(t);
  const begun = await begin(t, fake);
  const state = begun.sent['state'] ?? '';
  const port = new URL(begun.sent['redirect_uri'] ?? '').port;
  const good = { code: 'stolen', state };
  for (const [parameters, status, how] of [
    [{ code: 'stolen', state: 'of another' }, 400, {}],
    [{ code: 'stolen', state: `${state}x` }, 400, {}],
    [{ code: 'stolen', state: '' }, 400, {}],
    [{ code: 'stolen' }, 400, {}],
    [{ error: 'access_denied', state: 'of another' }, 400, {}],
    [{ error: 'access_denied' }, 400, {}],
    [good, 404, { path: '/' }],
    [good, 404, { path: '/callback/x' }],
    [good, 404, { host: `evil.example:${port}` }],
    [good, 404, { host: `localhost:${port}` }],
    [good, 404, { host: '127.0.0.1' }],
  ] as const) {
    assert.equal(
      (await comeBack(begun, parameters, how)).status,
      status,
      JSON.stringify(parameters),
    );
  }
  assert.equal(fake.asked.length, 0);
  assert.equal((await comeBack(begun, { code: 'own', state })).status, 200);
  assert.match(String(await begun.outcome), /^eyJ/);
  assert.equal(fake.asked[0]?.get('code'), 'own');
});

test('signIn reports why the provider refused, and rejects an ID token of another attempt or client', async (t) => {
  const fake = await startFakeProvider(t);
  const denied = await begin(t, fake);
  const error = {
    error: 'access_denied',
    error_description: 'You said no',
    state: denied.sent['state'] ?? '',
  };
  assert.equal((await comeBack(denied, error)).status, 400);
  assertFailure(await denied.outcome, 'sign_in_refused', /did not sign you in: You said no\.$/);
  for (const claims of [
    { nonce: 'of another' },
    { nonce: undefined },
    { aud: 'another' },
    { iss: 'http://127.0.0.1:1' },
    { exp: 1 },
  ]) {
    const begun = await begin(t, fake);
    fake.claims = { ...fake.claims, ...claims };
    await comeBack(begun, { code: 'c', state: begun.sent['state'] ?? '' });
    assertFailure(await begun.outcome, 'identity_unavailable', /^Cannot sign in at http/);
  }
  const without = await begin(t, fake);
  fake.tokens = { id_token: undefined };
  await comeBack(without, { code: 'c', state: without.sent['state'] ?? '' });
  assertFailure(await without.outcome, 'identity_unavailable', /^Cannot sign in at http/);
});

test('signIn ends at once if it is interrupted, and if the provider cannot be used', async (t) => {
  const fake = await startFakeProvider(t);
  const begun = await begin(t, fake);
  const reason = new ExitError(EXIT.interrupted, 'interrupted', 'Interrupted');
  begun.interrupt.abort(reason);
  assert.equal(await begun.outcome, reason);
  for (const issuer of [
    'http://provider.invalid',
    'ftp://127.0.0.1',
    'nonsense',
    'http://127.0.0.1.invalid',
  ]) {
    fake.config = { issuer };
    await assert.rejects(begin(t, fake), (error) => {
      assertFailure(error, 'identity_unusable', /the address must begin with https:\.$/);
      return true;
    });
  }
});

test('signIn waits at most ten minutes for the person', async (t) => {
  const fake = await startFakeProvider(t);
  const late = new AbortController();
  const waits: number[] = [];
  const { mock } = t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    waits.push(ms);
    return late.signal;
  });
  const begun = await begin(t, fake);
  mock.restore();
  assert.deepEqual(waits, [10 * 60_000]);
  late.abort();
  const outcome = await begun.outcome;
  assertFailure(outcome, 'sign_in_timeout', /^You did not sign in within ten minutes\.$/);
  assert.equal(outcome instanceof ExitError && outcome.exitCode, 3);
});

test('signIn opens a private page that leads to the address if there is a desktop, and removes it', async (t) => {
  const fake = await startFakeProvider(t);
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
  t.after(() => Object.defineProperty(process, 'platform', platform));
  const opened: string[] = [];
  t.mock.method(childProcess, 'spawn', (command: string, args: readonly string[]) => {
    opened.push(command, readFileSync(args.at(-1) ?? '', 'utf8'));
    return Object.assign(new EventEmitter(), { unref: () => {} });
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const rows: [os: string, env: Record<string, string>, command: string | null][] = [
    ['linux', {}, null],
    ['linux', { DISPLAY: '', WAYLAND_DISPLAY: '', BROWSER: '' }, null],
    ['linux', { DISPLAY: ':0' }, 'xdg-open'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
    ['linux', { BROWSER: 'lynx' }, 'xdg-open'],
    ['darwin', {}, 'open'],
  ];
  for (const [os, env, command] of rows) {
    const folder = temporaryFolder(t);
    Object.defineProperty(process, 'platform', { ...platform, value: os });
    const begun = await begin(t, fake, { ...env, XDG_CONFIG_HOME: folder });
    const name = `${os} ${JSON.stringify(env)}`;
    await until(begun.notes, (text) => command !== null || text.includes('ssh -L'), name, 10_000);
    const [program = null, page = ''] = opened.splice(0);
    assert.equal(program, command, name);
    const port = new URL(begun.sent['redirect_uri'] ?? '').port;
    assert.equal(begun.notes().includes(`ssh -L ${port}:127.0.0.1:${port} HOST`), command === null);
    if (command !== null) assert.ok(page.includes(begun.address.href.replaceAll('&', '&amp;')));
    begun.interrupt.abort(new ExitError(EXIT.interrupted, 'interrupted', 'Interrupted'));
    await begun.outcome;
    const left = command === null ? [] : readdirSync(join(folder, 'svc'));
    assert.deepEqual(left, [], `${name}: nothing is left behind`);
  }
});
