import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepLines } from '../../test/testing.ts';
import { logRequest } from './log-request.ts';
import type { EndedRequest } from './watch-requests.ts';

const ENDED: EndedRequest = {
  ...{ id: 'i', method: 'GET', route: '/me', status: 200, code: null },
  ...{ ms: 1.26, bytes: 7, isCutOff: false, address: '1.2.3.4', traceId: null },
};

function logged(ended: Partial<EndedRequest>, withAddress = false) {
  const { log, lines } = keepLines();
  logRequest(log, { ...ENDED, ...ended }, withAddress);
  assert.equal(lines.length, 1);
  const { level, message, fields } = lines[0] ?? assert.fail();
  return [level, message, fields] as const;
}

test('the line of a request has what happened, and the address only if that is wanted', () => {
  const fields = { method: 'GET', route: '/me', status: 200, ms: 1.3, bytes: 7, request_id: 'i' };
  assert.deepEqual(logged({}), ['info', 'request', fields]);
  assert.deepEqual(logged({ address: 'nobody' }, true)[2], fields);
  assert.deepEqual(logged({ traceId: 'ab' })[2], { ...fields, trace_id: 'ab' });
  assert.deepEqual(logged({}, true), ['info', 'request', { ...fields, address: '1.2.3.4' }]);
  assert.deepEqual(logged({ code: 'busy', isCutOff: true })[2], {
    ...{ ...fields, code: 'busy', cut_off: true },
  });
});

test('the level of a request is warn if the server failed, and debug for questions about its health', () => {
  assert.equal(logged({ status: 499 })[0], 'info');
  assert.equal(logged({ status: 500 })[0], 'warn');
  assert.equal(logged({ status: 503 })[0], 'warn');
  for (const route of ['/healthz', '/livez', '/readyz']) {
    assert.equal(logged({ route, status: 503 })[0], 'debug');
  }
});
