// Which failures may go away by another try, and the words for a connection that was closed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainFailure } from './explain-failure.ts';

const DIRECT = { url: new URL('https://api.test'), proxy: null, lateMs: null } as const;
const PROXY = { origin: 'http://proxy.test:1', variable: 'HTTPS_PROXY', authorization: null };

const withCode = (code: string): Error => Object.assign(new Error(code), { code });

test('explainFailure calls an unknown host lasting, and a refused or reset connection transient', () => {
  for (const [code, transient] of [
    ['ENOTFOUND', false],
    ['ECONNREFUSED', true],
    ['ECONNRESET', true],
  ] as const) {
    const error = withCode(code);
    const direct = explainFailure(error, { ...DIRECT, step: 'connect' });
    const byProxy = explainFailure(error, { ...DIRECT, proxy: PROXY, step: 'proxy' });
    assert.deepEqual([direct.transient, byProxy.transient], [transient, transient], code);
  }
});

test('explainFailure says that the connection was closed where an answer ends early', () => {
  const error = explainFailure(withCode('ERR_STREAM_PREMATURE_CLOSE'), { ...DIRECT, step: 'read' });
  assert.equal(error.message, 'Cannot reach https://api.test: the connection was closed.');
});
