// Which failures are transient, and their messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainFailure } from './explain-failure.ts';
import { ProxyRefusedError, type Step } from './open-connection.ts';

const DIRECT = { url: new URL('https://api.test'), proxy: null, lateMs: null } as const;
const PROXY = { origin: 'http://proxy.test:1', variable: 'HTTPS_PROXY', authorization: null };

const THROUGH = { ...DIRECT, proxy: PROXY };

const withCode = (code: string): Error => Object.assign(new Error(code), { code });

test('explainFailure marks an unknown host as lasting, and a refused or reset connection as transient', () => {
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

test('explainFailure reports a closed connection if a response ends early', () => {
  const error = explainFailure(withCode('ERR_STREAM_PREMATURE_CLOSE'), { ...DIRECT, step: 'read' });
  assert.equal(error.message, 'Cannot reach https://api.test: the connection was closed.');
});

test('explainFailure names the exceeded time limit of each step, and whether the server may have received the request', () => {
  const rows: [step: Step, reason: string, sent: boolean][] = [
    ['connect', 'no connection within 2.5 s', false],
    ['tls', 'no TLS handshake within 2.5 s', false],
    ['send', 'it stopped accepting the upload for 2.5 s', true],
    ['wait', 'no answer within 2.5 s', true],
    ['read', 'its answer stopped for 2.5 s', true],
  ];
  for (const [step, reason, sent] of rows) {
    const error = explainFailure(new Error('late'), { ...DIRECT, step, lateMs: 2500 });
    assert.equal(error.message, `Cannot reach https://api.test: ${reason}.`);
    assert.deepEqual([error.code, error.sent, error.transient], ['unreachable', sent, false]);
    const reset = explainFailure(withCode('ECONNRESET'), { ...DIRECT, step });
    assert.deepEqual([reset.sent, reset.transient], [sent, true], step);
  }
  const byProxy = explainFailure(new Error('late'), { ...THROUGH, step: 'proxy', lateMs: 10_000 });
  assert.equal(
    byProxy.message,
    'Cannot reach the proxy http://proxy.test:1 (from HTTPS_PROXY): no connection within 10 s.',
  );
  assert.deepEqual([byProxy.code, byProxy.sent, byProxy.transient], ['proxy_failed', false, false]);
  const tunnel = explainFailure(new Error('late'), { ...THROUGH, step: 'tunnel', lateMs: 10_000 });
  assert.match(tunnel.message, /: it did not answer within 10 s\.$/);
  assert.deepEqual([tunnel.sent, tunnel.transient], [false, false]);
  // With a tunnel the server is late, and the proxy is named as the way to it.
  const behind = explainFailure(new Error('late'), { ...THROUGH, step: 'tls', lateMs: 10_000 });
  assert.equal(
    behind.message,
    'Cannot reach https://api.test through the proxy http://proxy.test:1 (from HTTPS_PROXY): no TLS handshake within 10 s.',
  );
});

test('explainFailure explains the system’s error codes, also after several addresses were tried', () => {
  const rows: [code: string, reason: string][] = [
    ['ECONNREFUSED', 'the connection was refused'],
    ['ENOTFOUND', 'the host does not exist'],
    ['EAI_AGAIN', 'the name lookup failed'],
    ['EHOSTUNREACH', 'there is no route to it'],
    ['ENETUNREACH', 'there is no route to it'],
    ['ETIMEDOUT', 'it does not respond'],
    ['ECONNRESET', 'the connection was closed'],
    ['EPIPE', 'the connection was closed'],
    ['ENEW', 'ENEW'],
  ];
  for (const [code, reason] of rows) {
    const one = explainFailure(withCode(code), { ...DIRECT, step: 'connect' });
    assert.equal(one.message, `Cannot reach https://api.test: ${reason}.`);
    const several = new AggregateError([withCode(code), withCode('EOTHER')]);
    const first = explainFailure(several, { ...DIRECT, step: 'connect' });
    assert.deepEqual([first.message, first.transient], [one.message, code !== 'ENOTFOUND']);
  }
  const silent = explainFailure(new Error('x'), { ...DIRECT, step: 'connect' });
  assert.equal(silent.message, 'Cannot reach https://api.test: the connection failed.');
  const inTls = explainFailure(withCode('ECONNRESET'), { ...DIRECT, step: 'tls' });
  assert.match(inTls.message, /: the connection was closed during the TLS handshake\.$/);
  assert.equal(inTls.transient, true);
  const late = explainFailure(withCode('ETIMEDOUT'), { ...DIRECT, step: 'tls' });
  assert.match(late.message, /: it does not respond\.$/);
});

test('explainFailure suggests a retry if that is safe, and a check of the address if it is wrong', () => {
  const hint = (code: string, url = 'https://api.test') =>
    explainFailure(withCode(code), { ...DIRECT, url: new URL(url), step: 'wait' }).hint;
  assert.equal(hint('ECONNRESET'), 'It is safe to try again.');
  assert.equal(hint('ENOTFOUND'), 'Check the address and the network.');
  assert.equal(hint('HPE_INVALID_CONSTANT'), 'Check the port.');
  assert.equal(
    hint('HPE_INVALID_CONSTANT', 'http://127.0.0.1:1'),
    'Check the port, and whether the address should begin with https:.',
  );
  const overflow = explainFailure(withCode('HPE_HEADER_OVERFLOW'), { ...DIRECT, step: 'wait' });
  assert.equal(
    overflow.hint,
    'Check the address. A publishing platform does not answer like this.',
  );
  assert.deepEqual(
    [overflow.code, overflow.sent, overflow.transient],
    ['answer_unreadable', true, false],
  );
});

test('explainFailure reports what a proxy answered to CONNECT, and which answers are transient', () => {
  const other = 'Correct HTTPS_PROXY, or add api.test to NO_PROXY to connect without the proxy.';
  const password =
    'Set HTTPS_PROXY to http://USER:PASSWORD@proxy.test:1. Write special characters percent-encoded: @ is %40.';
  const rows: [error: Error, reason: string, transient: boolean, hint: string][] = [
    [
      new ProxyRefusedError(407, 'No'),
      'it requires a user name and password (407)',
      false,
      password,
    ],
    [new ProxyRefusedError(403, 'No'), 'the proxy refuses to connect to it (403 No)', false, other],
    [new ProxyRefusedError(500, ''), 'the proxy refuses to connect to it (500)', false, other],
    [new ProxyRefusedError(502, 'B'), 'the proxy cannot connect to it (502 B)', true, other],
    [new ProxyRefusedError(503, ''), 'the proxy cannot connect to it (503)', true, other],
    [new ProxyRefusedError(504, ''), 'the proxy cannot connect to it (504)', true, other],
    [withCode('HPE_INVALID_CONSTANT'), 'it does not answer as an HTTP proxy', true, other],
    [withCode('ECONNRESET'), 'it closed the connection without a response', true, other],
  ];
  for (const [error, reason, transient, hint] of rows) {
    const reported = explainFailure(error, { ...THROUGH, step: 'tunnel' });
    assert.equal(
      reported.message,
      `Cannot reach api.test:443 through the proxy http://proxy.test:1 (from HTTPS_PROXY): ${reason}.`,
    );
    assert.deepEqual(
      [reported.code, reported.sent, reported.transient, reported.hint],
      ['proxy_failed', false, transient, hint],
    );
  }
  const known = { ...THROUGH, proxy: { ...PROXY, authorization: 'Basic x' } };
  const refused = explainFailure(new ProxyRefusedError(407, ''), { ...known, step: 'tunnel' });
  assert.match(refused.message, /: it rejected the user name and password \(407\)\.$/);
  const plain = { ...THROUGH, url: new URL('http://game.test:8080') };
  const target = explainFailure(new ProxyRefusedError(403, ''), { ...plain, step: 'tunnel' });
  assert.match(target.message, /^Cannot reach game\.test:8080 through /);
});

test('explainFailure marks a TLS failure as lasting, and names the subject of the certificate', () => {
  const rows: [code: string, reason: RegExp][] = [
    ['CERT_HAS_EXPIRED', /its certificate has expired/],
    ['CERT_NOT_YET_VALID', /its certificate is not valid yet/],
    ['CERT_REVOKED', /its certificate was revoked/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /its certificate is self-signed/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /an issuer that this machine does not trust/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /an issuer that this machine does not trust/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /an issuer that this machine does not trust/],
    ['UNABLE_TO_GET_ISSUER_CERT', /an issuer that this machine does not trust/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS/],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', /does not speak TLS/],
    ['EPROTO', /TLS failed \(EPROTO\)/],
    ['ERR_TLS_HANDSHAKE_TIMEOUT', /TLS failed \(ERR_TLS_HANDSHAKE_TIMEOUT\)/],
    ['UNABLE_TO_GET_CRL', /TLS failed \(UNABLE_TO_GET_CRL\)/],
    ['HOSTNAME_MISMATCH', /TLS failed \(HOSTNAME_MISMATCH\)/],
    ['INVALID_CA', /TLS failed \(INVALID_CA\)/],
  ];
  for (const [code, reason] of rows) {
    const reported = explainFailure(withCode(code), { ...DIRECT, step: 'tls' });
    assert.match(reported.message, reason);
    assert.ok(reported.message.startsWith('Cannot reach https://api.test: '), reported.message);
    assert.deepEqual(
      [reported.code, reported.sent, reported.transient],
      ['tls_failed', false, false],
    );
    const ofProxy = explainFailure(withCode(code), { ...THROUGH, step: 'proxy' });
    assert.match(ofProxy.message, reason);
    assert.deepEqual([ofProxy.code, ofProxy.transient], ['proxy_failed', false]);
    assert.match(ofProxy.hint, /\. Correct HTTPS_PROXY, or add api\.test to NO_PROXY/);
  }
});

test('explainFailure lists the hosts of a certificate, unless there are too many', () => {
  const reasonFor = (subjectaltname: unknown): string => {
    const error = Object.assign(withCode('ERR_TLS_CERT_ALTNAME_INVALID'), {
      cert: { subjectaltname },
    });
    return explainFailure(error, { ...DIRECT, step: 'tls' }).message;
  };
  const start = 'Cannot reach https://api.test: its certificate is not for api.test';
  assert.equal(
    reasonFor('DNS:a.test, IP Address:10.0.0.1'),
    `${start}; it is for a.test, 10.0.0.1.`,
  );
  assert.equal(reasonFor('a'.repeat(200)), `${start}; it is for ${'a'.repeat(200)}.`);
  assert.equal(reasonFor('a'.repeat(201)), `${start}.`);
  assert.equal(reasonFor(undefined), `${start}.`);
});
