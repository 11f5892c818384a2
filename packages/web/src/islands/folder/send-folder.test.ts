import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { folderOf, LIMITS, unreadable } from '../../../test/folder-of.ts';
import type { Body, Reply } from '../send-body.ts';
import type { Transport } from './call-uploads.ts';
import type { ChosenFolder } from './chosen-folder.ts';
import { planFolder } from './plan-folder.ts';
import { type FolderProgress, sendFolder } from './send-folder.ts';

const PART_BYTES = 1000;
const ADDRESS = '/dashboard/games/g/uploads';
const never = new AbortController().signal;
const noise = (bytes: number) => new Uint8Array(randomBytes(bytes));

type Call = { readonly address: string; readonly body: Body };

/** A store with one upload. `before` can answer a call instead of it. */
function openStore(before: (call: Call, count: number) => Reply | null = () => null) {
  const calls: Call[] = [];
  const pauses: number[] = [];
  const known = new Set<string>();
  let listed: { bytes: number; sha256: string }[] = [];
  let parts = new Map<number, Buffer>();

  const open = (): object => {
    const missing = [...new Map(listed.map((one) => [one.sha256, one])).values()].filter(
      ({ sha256 }) => !known.has(sha256),
    );
    const bytes = missing.reduce((sum, one) => sum + one.bytes, 0);
    const part_count = Math.ceil(bytes / PART_BYTES);
    const received = [...parts.keys()].sort((a, b) => a - b);
    const hashes = missing.map(({ sha256 }) => sha256);
    return { id: 'up', missing: hashes, bytes, part_bytes: PART_BYTES, part_count, received };
  };
  const publish = (): Reply => {
    const all = Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes));
    let at = 0;
    for (const { bytes, sha256 } of new Map(listed.map((one) => [one.sha256, one])).values()) {
      if (known.has(sha256)) continue;
      const content = all.subarray(at, at + bytes);
      at += bytes;
      if (hash('sha256', content) !== sha256) return failed(400, 'zip_crc_mismatch');
      known.add(sha256);
    }
    parts = new Map();
    return answered({ next: '/next', findings: [] });
  };
  const transport: Transport = {
    async send(address, body, signal, onProgress) {
      if (signal.aborted) return { state: 'stopped' };
      const call = { address: address.slice(ADDRESS.length), body };
      calls.push(call);
      const own = before(call, calls.length);
      if (own !== null) return own;
      if (call.address === '') {
        const { files } = JSON.parse(String(body.body));
        // An upload is found by its list.
        if (JSON.stringify(files) !== JSON.stringify(listed)) parts = new Map();
        listed = files;
        return answered({ upload: open() });
      }
      if (call.address.startsWith('/up/publish')) return publish();
      const bytes = Buffer.from(body.body as Uint8Array);
      const { headers = {} } = body;
      onProgress(1);
      const isPacked = headers['content-encoding'] === 'gzip';
      parts.set(Number(call.address.split('/').at(-1)), isPacked ? gunzipSync(bytes) : bytes);
      return answered({});
    },
    async pause(ms, signal) {
      signal.throwIfAborted();
      pauses.push(ms);
    },
  };
  return { transport, calls, pauses, known, lose: () => parts.clear() };
}

const answered = (
  answer: unknown,
  status = 200,
  retryAfterSeconds: number | null = null,
): Reply => ({
  state: 'answered',
  status,
  answer,
  retryAfterSeconds,
});
const failed = (status: number, code: string, retryAfter: number | null = null): Reply =>
  answered({ error: { code, message: `It is ${code}.`, details: [] } }, status, retryAfter);

async function send(
  folder: ChosenFolder,
  { transport }: { transport: Transport },
  { isDry = false, isStaged = false, signal = never, notes = '' } = {},
) {
  const reports: FolderProgress[] = [];
  const request = {
    plan: await planFolder(folder, LIMITS),
    address: ADDRESS,
    version: '2',
    notes,
    isDry,
    isStaged,
  };
  const again = () => sendFolder(request, signal, (one) => reports.push(one), transport);
  return { sent: await again(), reports, again };
}

/** The addresses in the order of the calls. Parts are sent at once, so those that follow each other are sorted. */
function addresses(calls: readonly Call[]): string[] {
  const list = calls.map(({ address }) => address);
  const isPart = (address: string | undefined): boolean => address?.includes('/parts/') ?? false;
  for (let from = 0; from < list.length; from++) {
    let to = from;
    while (isPart(list[to])) to++;
    list.splice(from, to - from, ...list.slice(from, to).sort());
    from = to;
  }
  return list;
}

const PARTS = ['/up/parts/0', '/up/parts/1', '/up/parts/2'];
const DONE = { state: 'done', answer: { next: '/next', findings: [] } };

function game() {
  return folderOf({ 'index.html': 'x', 'a.bin': noise(1500), 'b.bin': noise(700), 'c/same': 'x' });
}

test('a folder is listed, sent in parts and published, and only new contents are sent', async () => {
  const store = openStore();
  const { sent, reports } = await send(game(), store, { notes: 'new' });
  assert.deepEqual(sent, DONE);
  assert.deepEqual(addresses(store.calls), ['', ...PARTS, '/up/publish']);
  const { files, version } = JSON.parse(String(store.calls[0]?.body.body));
  assert.deepEqual([version, Object.keys(files[0])], ['2', ['path', 'bytes', 'sha256']]);
  assert.deepEqual(JSON.parse(String(store.calls.at(-1)?.body.body)), {
    version: '2',
    notes: 'new',
  });
  assert.deepEqual(store.calls[0]?.body.headers, { 'content-type': 'application/json' });
  const states = [...new Set(reports.map(({ state }) => state))];
  assert.deepEqual(states, ['reading', 'uploading', 'checking']);
  assert.deepEqual(
    reports.findLast(({ state }) => state === 'uploading'),
    { state: 'uploading', sent: 2201, total: 2201, before: 0, isWaiting: false },
  );
});

test('a build that is staged is published with stage=true, and not repeated if its answer is lost', async () => {
  const store = openStore();
  assert.equal((await send(game(), store, { isStaged: true })).sent.state, 'done');
  assert.equal(store.calls.at(-1)?.address, '/up/publish?stage=true');
  const lost = openStore(({ address }) =>
    address.startsWith('/up/publish') ? { state: 'unreachable' } : null,
  );
  assert.equal((await send(game(), lost, { isStaged: true })).sent.state, 'refused');
  const publishes = lost.calls.filter(({ address }) => address.startsWith('/up/publish'));
  assert.equal(publishes.length, 1);
});

test('a check asks for a dry run, and a publish after it sends nothing', async () => {
  const store = openStore();
  const folder = game();
  const { sent } = await send(folder, store, { isDry: true });
  assert.equal(sent.state, 'done');
  assert.equal(store.calls.at(-1)?.address, '/up/publish?dry_run=true');
  const first = store.calls.length;
  const { reports } = await send(folder, store);
  assert.deepEqual(addresses(store.calls.slice(first)), ['', '/up/publish']);
  assert.equal(
    reports.some((one) => one.state === 'uploading' && one.total > 0),
    false,
  );
});

test('an upload continues with the parts that are not stored', async () => {
  let cut = '';
  const store = openStore(({ address }, count) => {
    if (count !== 4) return null;
    cut = address;
    return failed(401, 'unauthenticated');
  });
  const { sent, again, reports } = await send(game(), store);
  assert.deepEqual(sent, { state: 'signed-out' });
  const before = store.calls.length;
  reports.length = 0;
  assert.deepEqual(await again(), DONE);
  assert.deepEqual(addresses(store.calls.slice(before)), ['', cut, '/up/publish']);
  assert.ok(!reports.some(({ state }) => state === 'reading'), 'the files are not read again');
  const stored = cut === PARTS[2] ? 2000 : 1201;
  assert.deepEqual(
    reports.find((one) => one.state === 'uploading' && one.total > 0),
    { state: 'uploading', sent: stored, total: 2201, before: stored, isWaiting: false },
  );
});

test('calls are repeated with pauses while the store can’t be reached', async () => {
  const faults: Reply[] = [
    { state: 'unreachable' },
    failed(503, 'unreachable'),
    failed(429, 'rate_limited', 7),
    failed(400, 'digest_mismatch'),
    answered(null, 502),
  ];
  const store = openStore(({ address }) =>
    address === PARTS[1] ? (faults.shift() ?? null) : null,
  );
  const { sent, reports } = await send(game(), store);
  assert.deepEqual(sent, DONE);
  assert.deepEqual(store.pauses, [1000, 2000, 7000, 8000, 15_000]);
  assert.equal(
    reports.filter((one) => one.state === 'uploading' && one.isWaiting).length > 0,
    true,
  );
  const last = reports.findLast(({ state }) => state === 'uploading');
  assert.deepEqual(last, {
    state: 'uploading',
    sent: 2201,
    total: 2201,
    before: 0,
    isWaiting: false,
  });
});

test('a limit that asks for a wait of more than a minute ends the upload with its message', async () => {
  for (const [seconds, pauses] of [
    [60, [60_000]],
    [61, []],
    [50_000, []],
  ] as const) {
    let faults = 1;
    const store = openStore(({ address }) =>
      address === PARTS[0] && faults-- > 0 ? failed(429, 'rate_limited', seconds) : null,
    );
    const { sent } = await send(game(), store);
    const refused = { state: 'refused', message: 'It is rate_limited.', findings: [] };
    assert.deepEqual([sent, store.pauses], [seconds === 60 ? DONE : refused, pauses]);
  }
  let faults = 1;
  const store = openStore(() => (faults-- > 0 ? failed(503, 'unreachable', 3600) : null));
  assert.deepEqual([(await send(game(), store)).sent, store.pauses], [DONE, [60_000]]);
});

test('after about a minute the upload ends as unreachable', async () => {
  const store = openStore(({ address }) => (address === '' ? { state: 'unreachable' } : null));
  const { sent } = await send(game(), store);
  assert.deepEqual(sent, { state: 'unreachable' });
  assert.equal(
    store.pauses.reduce((sum, ms) => sum + ms, 0),
    60_000,
  );
  const busy = openStore(({ address }) => (address === PARTS[0] ? failed(503, 'busy') : null));
  assert.deepEqual((await send(game(), busy)).sent, {
    state: 'refused',
    message: 'It is busy.',
    findings: [],
  });
});

test('an upload that has ended, or lost parts, begins again, at most three times', async () => {
  for (const code of ['not_found', 'upload_incomplete']) {
    let left = 2;
    const store = openStore(({ address }) => {
      if (!address.startsWith('/up/publish') || left-- <= 0) return null;
      store.lose();
      return failed(409, code);
    });
    assert.deepEqual((await send(game(), store)).sent, DONE, code);
    assert.equal(addresses(store.calls).filter((one) => one === '').length, 3);
    const never = openStore(({ address }) => (address === PARTS[0] ? failed(404, code) : null));
    const { sent } = await send(game(), never);
    assert.deepEqual(sent, { state: 'refused', message: `It is ${code}.`, findings: [] });
    assert.equal(addresses(never.calls).filter((one) => one === '').length, 3);
  }
});

test('after a content that differs from the list, the files are read again', async () => {
  const store = openStore();
  let content = 'old';
  const file = {
    size: 3,
    slice: () => ({ arrayBuffer: async () => new TextEncoder().encode(content).buffer }),
  } as unknown as File;
  const files = [...game().files, { path: 'd.js', bytes: 3, file }];
  const { again } = await send({ name: 'game', files }, store, { isDry: true });
  content = 'new';
  store.known.clear();
  assert.deepEqual(await again(), DONE);
  assert.ok(store.known.has(hash('sha256', 'new')));
});

test('a publish is not repeated if the store may have received it', async () => {
  for (const lost of [{ state: 'unreachable' } as const, failed(503, 'unreachable')]) {
    const store = openStore(({ address }) => (address.startsWith('/up/publish') ? lost : null));
    const { sent } = await send(game(), store);
    assert.equal(sent.state, 'refused');
    assert.match(sent.state === 'refused' ? sent.message : '', /Reload this page to see whether/);
    assert.deepEqual(store.pauses, []);
  }
  const unchecked = openStore(({ address }) =>
    address.startsWith('/up/publish') ? failed(503, 'hook_failed') : null,
  );
  assert.deepEqual((await send(game(), unchecked)).sent, {
    state: 'refused',
    message: 'It is hook_failed.',
    findings: [],
  });
  assert.deepEqual(unchecked.pauses, [], 'a person decides whether to try again');
  let left = 1;
  const busy = openStore(({ address }) =>
    address.startsWith('/up/publish') && left-- > 0 ? failed(503, 'busy') : null,
  );
  assert.deepEqual((await send(game(), busy)).sent, DONE);
  let lost = 1;
  const dry = openStore(({ address }) =>
    address.startsWith('/up/publish') && lost-- > 0 ? { state: 'unreachable' } : null,
  );
  assert.equal((await send(game(), dry, { isDry: true })).sent.state, 'done');
});

test('Stop during the publish reports that the release may exist', async () => {
  const isPublish = ({ address }: Call): boolean => address.startsWith('/up/publish');
  for (const isDry of [false, true]) {
    const stop = new AbortController();
    const store = openStore((call) => {
      if (!isPublish(call)) return null;
      stop.abort();
      return { state: 'stopped' };
    });
    const { sent } = await send(game(), store, { signal: stop.signal, isDry });
    assert.equal(sent.state, isDry ? 'stopped' : 'refused');
    if (sent.state === 'refused') assert.match(sent.message, /Reload this page to see whether/);
  }
});

test('Stop ends the upload, also during a pause', async () => {
  const stop = new AbortController();
  const store = openStore(({ address }) => {
    if (address !== PARTS[1]) return null;
    stop.abort();
    return { state: 'unreachable' };
  });
  const { sent } = await send(game(), store, { signal: stop.signal });
  assert.deepEqual(sent, { state: 'stopped' });
  assert.ok(!addresses(store.calls).some((one) => one.includes('publish')));
});

test('a refusal of the store, a secret and a changed file end the upload with a message', async () => {
  const store = openStore(({ address }) => (address === '' ? failed(409, 'version_exists') : null));
  const used = { state: 'refused', message: 'It is version_exists.', findings: [] };
  assert.deepEqual((await send(game(), store)).sent, used);
  assert.equal(store.calls.length, 1);
  const key = { 'index.html': 'x', 'a.js': '-----BEGIN PRIVATE KEY-----' };
  const secret = await send(folderOf(key), openStore());
  assert.equal(secret.sent.state === 'refused' && secret.sent.findings[0]?.entry, 'a.js');
  const files = [...game().files, unreadable('d.js')];
  const { sent } = await send({ name: 'game', files }, openStore());
  assert.match(sent.state === 'refused' ? sent.message : '', /^The file "d\.js" was changed/);
});
