import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { KnownRecord } from '@svc/trace';
import type { Connection } from 'puppeteer-core';
import { FunctionTrace } from './function-trace.ts';

/** A browser that has one mark in each trace. It rejects an end without a start, as Chrome does. */
function fakeBrowser() {
  const events = new EventEmitter();
  const calls: string[] = [];
  let isTracing = false;
  const event = { name: '_p:m', ph: 'R', cat: 'blink.user_timing', ts: 1000, pid: 1, tid: 1 };
  const connection = Object.assign(events, {
    async send(method: string): Promise<unknown> {
      calls.push(method);
      if (method === 'Tracing.start') isTracing = true;
      if (method === 'IO.read')
        return { data: JSON.stringify({ traceEvents: [event] }), eof: true };
      if (method !== 'Tracing.end') return {};
      if (!isTracing) throw new Error('Tracing is not started');
      isTracing = false;
      setImmediate(() => events.emit('Tracing.tracingComplete', { stream: 'one' }));
      return {};
    },
  });
  return { connection: connection as unknown as Connection, events, calls };
}

function target() {
  const records: KnownRecord[] = [];
  const marks: string[] = [];
  return {
    ...{ records, marks, markPrefix: '_p:' },
    put: (record: KnownRecord) => records.push(record),
    findClock(found: ReadonlyMap<string, unknown>) {
      marks.push(...found.keys());
      return { thread: '1:1', pid: '1', origin: 0 };
    },
  };
}

test('a buffer that fills up is emptied once, and the gap is a loss of functions', async () => {
  const { connection, events, calls } = fakeBrowser();
  const trace = target();
  const functions = new FunctionTrace(connection, trace);
  await functions.start();
  events.emit('Tracing.bufferUsage', { percentFull: 0.5 });
  assert.deepEqual(calls, ['Tracing.start']);
  const full = () => events.emit('Tracing.bufferUsage', { percentFull: 0.8 });
  full();
  full();
  while (trace.records.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await functions.end();
  const whole = ['Tracing.start', 'Tracing.end', 'IO.read', 'IO.close'];
  assert.deepEqual(calls, [...whole, ...whole]);
  const [loss, ...others] = trace.records;
  assert.ok(loss?.type === 'loss' && (loss.duration_ms ?? -1) >= 0);
  assert.deepEqual([loss.reason, loss.probe, others], ['buffer_full', 'stacks', []]);
  assert.deepEqual(trace.marks, ['m', 'm']);
});

test('a recording that ends while the buffer is emptied is not traced again', async () => {
  const { connection, events, calls } = fakeBrowser();
  const functions = new FunctionTrace(connection, target());
  await functions.start();
  events.emit('Tracing.bufferUsage', { percentFull: 1 });
  await functions.end();
  assert.deepEqual(calls, ['Tracing.start', 'Tracing.end', 'IO.read', 'IO.close']);
});
