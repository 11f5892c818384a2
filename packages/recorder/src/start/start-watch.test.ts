import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { CDPSession } from 'puppeteer-core';
import type { TargetKind } from '../browser/follow-targets.ts';
import { StartWatch } from './start-watch.ts';

const BASE = 'http://127.0.0.1:1234/play/secret/';

/** A watch that follows one target. */
function watchOne(kind: TargetKind = 'page') {
  const session = Object.assign(new EventEmitter(), { send: async () => ({}) });
  const watch = new StartWatch(BASE);
  watch.follow(session as unknown as CDPSession, kind);
  watch.begin();
  let id = 0;
  /** The events of a request. */
  const request = (url: string, status: number, { method = 'GET', type = 'Fetch' } = {}): void => {
    const requestId = `${id++}`;
    session.emit('Network.requestWillBeSent', { requestId, request: { url, method }, type });
    session.emit('Network.responseReceived', { requestId, response: { url, status } });
    session.emit('Network.loadingFinished', { requestId });
  };
  const blocked = (url: string, blockedReason?: string): void => {
    session.emit('Network.requestWillBeSent', {
      ...{ requestId: 'b', type: 'Script' },
      request: { url, method: 'GET' },
    });
    session.emit('Network.loadingFailed', { requestId: 'b', blockedReason });
  };
  const throws = (description: string, url = `${BASE}game.js`): void => {
    session.emit('Runtime.exceptionThrown', {
      exceptionDetails: {
        ...{ text: 'Uncaught', url, lineNumber: 2, columnNumber: 6 },
        exception: { description },
      },
    });
  };
  return { watch, session, request, blocked, throws };
}

function rulesOf({ state }: StartWatch): string[] {
  return state.faults.map(({ rule, path }) => `${rule} ${path}`);
}

test('files of the game that are not sent are faults, each once', () => {
  const { watch, request } = watchOne();
  using _ = watch;
  request(`${BASE}a%20b.json?v=1#x`, 404);
  request(`${BASE}a%20b.json?v=2`, 404);
  request(`${BASE}big.bin`, 503);
  request(`${BASE}here.js`, 200);
  request(`${BASE}there.js`, 304);
  for (const name of ['favicon.ico', 'game.js.map']) request(`${BASE}${name}`, 404);
  request(`${BASE}probed.json`, 404, { method: 'HEAD' });
  request('https://elsewhere.example/gone.js', 404);
  assert.deepEqual(rulesOf(watch), ['missing_file a b.json', 'missing_file big.bin']);
  assert.match(
    watch.state.faults[1]?.message ?? '',
    /big\.bin, and the server answered with status 503\.$/,
  );
});

test('what browsers block on a published page is a fault', () => {
  const { watch, request, blocked } = watchOne();
  using _ = watch;
  request('http://cdn.example/lib.js', 200, { type: 'Script' });
  request('http://cdn.example/picture.png', 200, { type: 'Image' });
  request('http://127.0.0.1:9/x', 200);
  request('https://cdn.example/y', 200);
  blocked(
    'https://cdn.example/coep.js?k',
    'corp-not-same-origin-after-defaulted-to-same-origin-by-coep',
  );
  blocked('https://cdn.example/mixed.js', 'mixed-content');
  blocked('https://cdn.example/ad.js', 'inspector');
  blocked('https://cdn.example/offline.js');
  assert.deepEqual(rulesOf(watch), [
    'plain_http http://cdn.example/lib.js',
    'blocked_request https://cdn.example/coep.js',
    'plain_http https://cdn.example/mixed.js',
  ]);
});

test('an uncaught error is a fault before the first frame, and a warning after it', () => {
  const { watch, throws } = watchOne();
  using _ = watch;
  throws('ReferenceError: start is not defined\n    at game.js:3:7');
  throws('NotAllowedError: play() failed because the user did not interact');
  watch.firstDraw(0);
  throws('TypeError: later');
  assert.deepEqual(watch.state.faults, [
    {
      ...{ rule: 'uncaught_error', path: 'game.js:3:7', hint: null },
      message: 'Uncaught ReferenceError: start is not defined',
    },
  ]);
  const warnings = watch.state.warnings.map(({ message }) => message);
  assert.deepEqual(warnings, [
    'Uncaught NotAllowedError: play() failed because the user did not interact',
    'Uncaught TypeError: later',
  ]);
});

test('each fault and warning is reported once, with whether it is of the game itself', () => {
  const { watch, throws, request } = watchOne();
  using _ = watch;
  const found: [string, boolean][] = [];
  watch.onFound = ({ message }, isOwn) => found.push([message, isOwn]);
  request(`${BASE}gone.js`, 404);
  request(`${BASE}gone.js`, 404);
  throws('AbortError: play() was interrupted');
  watch.firstDraw(0);
  throws('TypeError: later');
  const frame = watchOne('frame');
  frame.watch.onFound = watch.onFound;
  frame.throws('Error: of an advertisement');
  frame.watch[Symbol.dispose]();
  assert.deepEqual(found, [
    ['The game requested gone.js, which does not exist.', true],
    ['Uncaught AbortError: play() was interrupted', false],
    ['Uncaught TypeError: later', true],
    ['Uncaught Error: of an advertisement', false],
  ]);
});

test('an error in a frame of another site is a warning', () => {
  const { watch, throws } = watchOne('frame');
  using _ = watch;
  throws('Error: of an advertisement', 'https://ads.example/a.js');
  assert.deepEqual(watch.state.faults, []);
  assert.equal(watch.state.warnings[0]?.path, 'https://ads.example/a.js:3:7');
});

test('lines of the console about isolation are faults, others are not', () => {
  const { watch, session } = watchOne();
  using _ = watch;
  const print = (type: string, ...args: object[]): void => {
    session.emit('Runtime.consoleAPICalled', { type, args });
  };
  print(
    'error',
    { value: 'Features missing:' },
    { value: 'Cross Origin Isolation, SharedArrayBuffer' },
  );
  print('warning', { value: 'SharedArrayBuffer will be removed' });
  print('error', { value: 'no high score' });
  for (const source of ['security', 'network']) {
    session.emit('Log.entryAdded', { entry: { level: 'error', source, text: 'Mixed Content: x' } });
  }
  const messages = watch.state.faults.map(({ message }) => message);
  assert.deepEqual(messages, [
    'The console reports: Features missing: Cross Origin Isolation, SharedArrayBuffer',
    'The console reports: Mixed Content: x',
  ]);
});

test('a flood of faults and long texts are bounded', () => {
  const { watch, request, throws } = watchOne();
  using _ = watch;
  throws(`Error: ${'x'.repeat(10_000)}`);
  for (let i = 0; i < 1000; i++) request(`${BASE}${i}.png`, 404);
  assert.equal(watch.state.faults.length, 50);
  assert.ok((watch.state.faults[0]?.message.length ?? 0) < 400);
});

test('a game is judged at its first frame, whose time counts from the load', async () => {
  const { watch } = watchOne();
  using _ = watch;
  watch.firstDraw(1e9);
  watch.firstDraw(0);
  await watch.judged;
  assert.deepEqual(watch.state, { first_frame_ms: 0, faults: [], warnings: [] });
});

test('a game with a fault is judged soon, and one that draws nothing after 15 s', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { watch, request } = watchOne();
  using _ = watch;
  let isJudged = false;
  void watch.judged.then(() => {
    isJudged = true;
  });
  const after = async (ms: number): Promise<boolean> => {
    t.mock.timers.tick(ms);
    await new Promise((resolve) => setImmediate(resolve));
    return isJudged;
  };
  assert.equal(await after(10_000), false);
  request(`${BASE}gone.js`, 404);
  assert.equal(await after(2999), false);
  assert.equal(await after(1), true);
  assert.equal(await after(1999), true);
  assert.deepEqual(rulesOf(watch), ['missing_file gone.js']);
  await after(1);
  assert.deepEqual(rulesOf(watch), ['missing_file gone.js', 'no_frame null']);
  assert.equal(watch.state.first_frame_ms, null);
});
