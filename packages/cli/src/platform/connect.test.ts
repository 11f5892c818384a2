// Which requests are repeated, how often and after which waits, and the messages after the last attempt.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ExchangeLimits } from '../network/exchange-options.ts';
import { NetworkError } from '../network/network-error.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import { type ConnectOptions, connect, type Platform } from './connect.ts';

const API = 'https://api.example';
const ID = '0197a1a0-0000-7000-8000-00000000000a';

type Answer = () => Response;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  () =>
    Response.json(body, { status, headers });

const refusal = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  json(status, { error: { code, message: 'Said so.' } }, headers);

/** A failed connection. `sent` is true if the server may have the request, `lasting` if it would fail again. */
const broken =
  (sent: boolean, lasting = false): Answer =>
  () => {
    const extras = { hint: 'A hint.', sent, transient: !lasting };
    throw new NetworkError('unreachable', 'Cannot reach it', extras);
  };

const lost = broken(true);
const unsent = broken(false);
const ME = json(200, { user: {}, auth: {} });
const GAME = json(201, { game: {} });

type Run = {
  /** The time of each request, in milliseconds since the start. */
  readonly times: number[];
  readonly addresses: string[];
  readonly limits: (Partial<ExchangeLimits> | undefined)[];
  readonly notes: string[];
  /** The result: the response, or the error. */
  readonly outcome: unknown;
};

/** Calls a platform that sends each response once, and then repeats the last one. Waits take no real time. */
async function run(
  t: TestContext,
  answers: readonly Answer[],
  work: (platform: Platform) => Promise<unknown>,
  options: Partial<ConnectOptions> = {},
): Promise<Run> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const made = {
    times: [] as number[],
    addresses: [] as string[],
    limits: [] as Run['limits'],
    notes: [] as string[],
  };
  const platform = connect({
    api: API,
    credential: 'token',
    source: { kind: 'environment' },
    signal: new AbortController().signal,
    note: (text) => made.notes.push(text),
    network: {
      async send(address, _init, limits) {
        made.addresses.push(address);
        made.limits.push(limits);
        const answer = answers[Math.min(made.times.length, answers.length - 1)];
        made.times.push(now);
        return answer?.() ?? assert.fail('no answer');
      },
    },
    ...options,
  });
  let outcome: { readonly value: unknown } | null = null;
  work(platform).then(
    (value) => {
      outcome = { value };
    },
    (error: unknown) => {
      outcome = { value: error };
    },
  );
  for (let steps = 0; outcome === null && steps < 2000; steps++) {
    for (let turns = 0; turns < 10; turns++) await turn();
    if (outcome !== null) break;
    t.mock.timers.tick(500);
    now += 500;
  }
  t.mock.timers.reset();
  const ended: { readonly value: unknown } | null = outcome;
  assert.ok(ended !== null, 'the call ends');
  return { ...made, outcome: (ended as { readonly value: unknown }).value };
}

const me = (platform: Platform): Promise<unknown> => platform.call('me', {});
const createProject = (platform: Platform): Promise<unknown> =>
  platform.call('createProject', { body: { title: 'Cats' } });
const rollback = (platform: Platform): Promise<unknown> =>
  platform.call('rollback', { params: { id: ID }, body: { version: '1' } }, { repeat: 'safe' });

function errorOf({ outcome }: Run): ExitError {
  assert.ok(outcome instanceof ExitError, String(outcome));
  return outcome;
}

test('connect sends a failing request four times, after waits of half a second, one and two seconds', async (t) => {
  const made = await run(t, [lost], me);
  assert.deepEqual(made.times, [0, 500, 1500, 3500]);
  assert.deepEqual(made.notes, [
    'Cannot reach it. Trying again in 0.5 s (1 of 3).',
    'Cannot reach it. Trying again in 1 s (2 of 3).',
    'Cannot reach it. Trying again in 2 s (3 of 3).',
  ]);
  const failure = errorOf(made);
  assert.deepEqual(
    [failure.exitCode, failure.code, failure.extras.hint],
    [10, 'unreachable', 'A hint.'],
  );
  // The last of the four attempts may succeed.
  const late = await run(t, [lost, lost, lost, ME], me);
  assert.deepEqual([late.times.length, late.outcome], [4, { user: {}, auth: {} }]);
});

test('connect repeats a POST only if the platform has not received it, or reported that it did nothing', async (t) => {
  const sentOnce = await run(t, [lost, GAME], createProject);
  assert.equal(sentOnce.times.length, 1);
  assert.match(errorOf(sentOnce).extras.hint ?? '', /^The request may have succeeded\. Check this/);
  assert.deepEqual(sentOnce.notes, []);
  const notSent = await run(t, [unsent, GAME], createProject);
  assert.deepEqual([notSent.times.length, notSent.outcome], [2, { game: {} }]);
  const neverSent = await run(t, [unsent], createProject);
  assert.deepEqual([neverSent.times.length, errorOf(neverSent).extras.hint], [4, 'A hint.']);
  // Without a platform at the address, no request may have succeeded.
  const foreign = await run(t, [json(201, {})], createProject);
  assert.match(errorOf(foreign).extras.hint ?? '', /^Check the address in /);
  // Calls that are safe to repeat are marked.
  const safe = await run(t, [lost, json(200, { game: {}, release: {} })], rollback);
  assert.equal(safe.times.length, 2);
  assert.equal(errorOf(await run(t, [lost], rollback)).extras.hint, 'A hint.');
});

test('connect does not repeat a request after a lasting failure', async (t) => {
  for (const call of [me, createProject, rollback]) {
    assert.equal((await run(t, [broken(false, true), ME], call)).times.length, 1);
  }
});

test('connect repeats a request after transient error responses only', async (t) => {
  const rows: [answer: Answer, get: number, post: number][] = [
    [refusal(429, 'rate_limited'), 2, 2],
    [refusal(503, 'busy'), 2, 2],
    [refusal(503, 'change_interrupted'), 2, 2],
    [refusal(503, 'unavailable'), 2, 1],
    [refusal(503, 'shutting_down'), 2, 1],
    [refusal(503, 'identity_unavailable'), 2, 2],
    [refusal(503, 'hook_failed'), 1, 1],
    [json(408, {}), 2, 1],
    [json(429, {}), 2, 1],
    [json(502, {}), 2, 1],
    [json(503, {}), 2, 1],
    [json(504, {}), 2, 1],
    [json(500, {}), 1, 1],
    [json(413, {}), 1, 1],
    [refusal(500, 'internal'), 1, 1],
    [refusal(507, 'storage_full'), 1, 1],
    [refusal(400, 'invalid_request'), 1, 1],
    [refusal(401, 'token_revoked'), 1, 1],
    [refusal(403, 'scope_missing'), 1, 1],
    [refusal(404, 'not_found'), 1, 1],
    [refusal(409, 'publish_in_progress'), 1, 1],
  ];
  for (const [answer, get, post] of rows) {
    const what = JSON.stringify(await answer().json()) + answer().status;
    assert.equal((await run(t, [answer, ME], me)).times.length, get, what);
    assert.equal((await run(t, [answer, GAME], createProject)).times.length, post, what);
  }
});

test('connect waits for its own earlier attempt whose response was lost', async (t) => {
  const inProgress = refusal(409, 'publish_in_progress');
  const made = await run(
    t,
    [lost, inProgress, inProgress, json(200, { game: {}, release: {} })],
    rollback,
  );
  assert.deepEqual(made.times, [0, 500, 2500, 6500]);
  assert.deepEqual(made.outcome, { game: {}, release: {} });
});

test('connect waits as long as the platform requests, up to a minute', async (t) => {
  const after = (seconds: string): Answer =>
    refusal(429, 'rate_limited', { 'retry-after': seconds });
  assert.deepEqual((await run(t, [after('7'), ME], me)).times, [0, 7000]);
  assert.deepEqual((await run(t, [after('60'), ME], me)).times, [0, 60_000]);
  const atOnce = await run(t, [after('0'), ME], me);
  assert.deepEqual(atOnce.times, [0, 500]);
  assert.match(atOnce.notes[0] ?? '', / Trying again in 0\.5 s \(1 of 3\)\.$/);
  assert.deepEqual((await run(t, [after('soon'), ME], me)).times, [0, 500]);
  const tooLong = await run(t, [after('61'), ME], me);
  assert.deepEqual(tooLong.times, [0]);
  const failure = errorOf(tooLong);
  assert.deepEqual([failure.exitCode, failure.extras.retry_after_s], [10, 61]);
});

test('connect ends at once with the reason if it is interrupted while it waits', async (t) => {
  const reason = new ExitError(EXIT.interrupted, 'interrupted', 'Interrupted');
  const interrupt = new AbortController();
  const options = {
    signal: interrupt.signal,
    note: () => setImmediate(() => interrupt.abort(reason)),
  };
  const made = await run(t, [unsent], me, options);
  assert.equal(made.outcome, reason);
  assert.deepEqual(made.times, [0]);
  // The same if it was interrupted during the request, with any result.
  const during = new AbortController();
  const abort: Answer = () => {
    during.abort(reason);
    return unsent();
  };
  const inside = await run(t, [abort], me, { signal: during.signal });
  assert.deepEqual([inside.outcome, inside.times.length], [reason, 1]);
});

test('connect suggests a next step by the error code and the source of the token', async (t) => {
  const file = { kind: 'file', path: '/x' } as const;
  const hintOf = async (answer: Answer, options: Partial<ConnectOptions> = {}) => {
    const { exitCode, code, extras } = errorOf(await run(t, [answer], createProject, options));
    return [exitCode, code, extras.hint];
  };
  const revoked = refusal(401, 'token_revoked');
  const again = `Run svc login --api ${API}.`;
  assert.deepEqual(await hintOf(revoked), [
    ...[3, 'token_revoked', 'The token came from SVC_TOKEN. Set it to a new token.'],
  ]);
  assert.deepEqual(await hintOf(revoked, { source: file }), [3, 'token_revoked', again]);
  assert.deepEqual(await hintOf(revoked, { source: null }), [3, 'token_revoked', again]);
  assert.deepEqual(await hintOf(refusal(403, 'scope_missing')), [
    ...[4, 'scope_missing', 'Create a token with this scope: svc token create'],
  ]);
  assert.deepEqual(await hintOf(refusal(403, 'developer_required')), [
    ...[4, 'developer_required', 'Open a developer session first: run svc login --web.'],
  ]);
  assert.deepEqual(await hintOf(refusal(409, 'slug_taken')), [6, 'slug_taken', undefined]);
  const internal = refusal(500, 'internal', { 'x-request-id': 'r-1' });
  assert.deepEqual(await hintOf(internal), [
    ...[11, 'internal', 'Give the operator this request id: r-1.'],
  ]);
  assert.deepEqual(await hintOf(refusal(500, 'internal')), [11, 'internal', undefined]);
  assert.deepEqual(await hintOf(json(413, {})), [
    ...[8, 'answer_unreadable', 'A server in front of the platform limits the size of an upload.'],
  ]);
  assert.deepEqual(await hintOf(json(502, {})), [
    ...[11, 'answer_unreadable', 'Check the address, or try again later.'],
  ]);
});

test('connect reports each detail of a rejection by the platform', async (t) => {
  const details = [{ path: '/title', message: 'Too long' }];
  const refused = json(400, { error: { code: 'invalid_request', message: 'No.', details } });
  const failure = errorOf(await run(t, [refused], createProject));
  assert.deepEqual(failure.extras.details, details);
});

test('connect rejects a response that does not match its schema, also of a dry run', async (t) => {
  const part = await run(t, [json(200, { user: {} })], me);
  assert.deepEqual([errorOf(part).code, part.times.length], ['answer_unreadable', 1]);
  assert.equal(errorOf(part).exitCode, 11);
  for (const body of [['user', 'auth'], 'x', 7]) {
    assert.equal(errorOf(await run(t, [json(200, body)], me)).code, 'answer_unreadable');
  }
  const tokens: Uint8Array[] = [];
  const dryRun = (platform: Platform) =>
    platform.dryRun('publish', () => {
      const bytes = new Uint8Array([tokens.length]);
      tokens.push(bytes);
      return { params: { id: ID }, form: { type: 'multipart/form-data; boundary=x', bytes } };
    });
  const wrong = await run(t, [lost, json(200, { release: {} })], dryRun);
  assert.equal(errorOf(wrong).code, 'answer_unreadable');
  assert.deepEqual(wrong.addresses, Array(2).fill(`${API}/projects/${ID}/publish?dry_run=true`));
  // Each attempt has a body of its own, and the platform has two minutes to check it.
  assert.equal(tokens.length, 2);
  assert.deepEqual(wrong.limits[0], { answer_ms: 120_000, answer_ms_per_mib: 1000 });
  assert.deepEqual(part.limits[0], {});
});
