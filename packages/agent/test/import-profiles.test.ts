// Imports of CPU profiles, Chrome traces, frame logs and compressed files: converted when they have arrived, or refused without a remainder.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { StartError } from '../src/index.ts';
import { ask, field, startTestAgent, temporaryFolder, vptOf } from './harness.ts';

const PROFILE = JSON.stringify({
  nodes: [{ id: 1, callFrame: { functionName: 'stall', url: 'http://h/g.js', lineNumber: 4 } }],
  startTime: 0,
  endTime: 90_000,
  samples: [1, 1],
  timeDeltas: [1000, 80_000],
});
const frame = (ms: number) => ({
  name: 'FireAnimationFrame',
  ph: 'X',
  ts: ms * 1000,
  pid: 1,
  tid: 1,
});
const TRACE = JSON.stringify({ traceEvents: [10, 26, 106].map(frame) });
const LOG = 'fps,frametime,elapsed\n60,16,16000000\n12,80,96000000\n';
const MARK = { type: 'mark', t: 5, name: 'here' };

test('a profile, a Chrome trace, a frame log and a compressed trace are imported as .vpt', async () => {
  await using running = await startTestAgent();
  const rows = [
    [PROFILE, 90, /"stall g\.js:5"/],
    [gzipSync(PROFILE), 90, /"stall g\.js:5"/],
    [TRACE, 96, /"frames","t":0,"duration_ms":\[16,80\]/],
    [gzipSync(TRACE), 96, /"frames"/],
    [LOG, 96, /"frames","t":0,"duration_ms":\[16,80\]/],
    [gzipSync(LOG), 96, /"frames"/],
    [gzipSync(vptOf(MARK)), 5, /"here"/],
    [gzipSync('main;update 3\n'), null, /"update"/],
  ] as const;
  for (const [body, duration, text] of rows) {
    const headers = { 'svc-trace-name': 'level.json.gz' };
    const answer = await ask(running, 'POST', '/api/trace', { body, headers });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(field(answer.json, 'trace', 'duration_ms'), duration);
    const exported = await ask(running, 'GET', '/api/trace');
    assert.match(exported.text, /^\{"vpt":1/);
    assert.match(exported.text, text);
    assert.equal(exported.text.length, field(answer.json, 'trace', 'bytes'));
    assert.match(String(exported.headers['content-disposition']), /filename="level\.vpt"/);
  }
  assert.deepEqual(readdirSync(running.dataDir), ['traces'], 'no spool is left');
});

test('a profile that was cut off is imported as a partial trace', async () => {
  await using running = await startTestAgent();
  for (const body of [TRACE.slice(0, -30), gzipSync(TRACE, { level: 0 }).subarray(0, -40)]) {
    const { json } = await ask(running, 'POST', '/api/trace', { body });
    assert.equal(field(json, 'trace', 'partial'), true);
  }
});

test('a refused profile leaves the retained trace unchanged and no spool', async () => {
  await using running = await startTestAgent({ importLimitBytes: 20_000 });
  const kept = vptOf(MARK);
  await ask(running, 'POST', '/api/trace', { body: kept });
  const damaged = gzipSync(TRACE);
  damaged.fill(0xff, 20, 40);
  const rows: [string, string | Buffer, RegExp][] = [
    ['invalid_trace', '{"traceEvents":[]}', /no events/],
    ['invalid_trace', '{"nodes":[]}', /no samples/],
    ['invalid_trace', 'fps,frametime,elapsed\n', /no frames/],
    ['invalid_trace', damaged, /damaged/],
    ['invalid_trace', gzipSync('{"$schema":"https://www.speedscope.app/x"}'), /JSON of speedscope/],
    ['trace_too_large', gzipSync(vptOf({ ...MARK, name: 'x'.repeat(30_000) })), /20000 bytes/],
  ];
  for (const [code, body, message] of rows) {
    const answer = await ask(running, 'POST', '/api/trace', { body });
    assert.equal(answer.code, code, answer.text);
    assert.match(String(field(answer.json, 'error', 'message')), message);
    assert.equal((await ask(running, 'GET', '/api/trace')).text, kept);
  }
  assert.deepEqual(readdirSync(running.dataDir), ['traces']);
});

test('svc dashboard FILE opens profiles, plain and compressed, and rejects one without samples', async () => {
  using folder = temporaryFolder();
  const path = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder.path, name), content);
    return join(folder.path, name);
  };
  for (const file of [path('a.cpuprofile', PROFILE), path('b.gz', gzipSync(PROFILE))]) {
    await using running = await startTestAgent({ file });
    assert.match((await ask(running, 'GET', '/api/trace')).text, /"stall g\.js:5"/);
  }
  await assert.rejects(startTestAgent({ file: path('c.json', '{"nodes":[]}') }), (error) => {
    assert.ok(error instanceof StartError);
    assert.match(error.message, /c\.json:1:1: .*no samples/);
    return true;
  });
});
