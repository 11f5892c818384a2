import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Action, faultOf, hasStatus, isBrokenConnection, LateError } from './store-fault.ts';

/** An error of the store's client, with the status of the answer. */
function answerOf(name: string, status: number): Error {
  const error = Object.assign(new Error('text of the store'), {
    $metadata: { httpStatusCode: status },
  });
  error.name = name;
  return error;
}

/** An error of the system, as the client passes it on. */
function systemError(code: string, message = 'text of the system'): Error {
  return new Error('the request failed', {
    cause: Object.assign(new Error(message), { code }),
  });
}

const CASES: readonly [error: unknown, reason: RegExp][] = [
  [new LateError('no answer in 5 ms'), /^it does not answer in time/],
  [answerOf('NoSuchBucket', 404), /^the bucket does not exist/],
  ...(
    [
      ['PermanentRedirect', 301],
      ['TemporaryRedirect', 307],
      ['AuthorizationHeaderMalformed', 400],
      ['IllegalLocationConstraintException', 400],
      ['Unknown', 301],
      ['Unknown', 302],
      ['Unknown', 307],
      ['Unknown', 308],
    ] as const
  ).map(([name, status]): [Error, RegExp] => [answerOf(name, status), /another region/]),
  ...['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken'].map(
    (name): [Error, RegExp] => [answerOf(name, 403), /^it rejects the credentials/],
  ),
  [answerOf('TokenRefreshRequired', 400), /^it rejects the credentials/],
  [answerOf('Unknown', 401), /^it rejects the credentials/],
  [answerOf('RequestTimeTooSkewed', 403), /^the clocks .* differ/],
  [answerOf('CredentialsProviderError', 0), /^there are no credentials/],
  [answerOf('TokenProviderError', 0), /^there are no credentials/],
  ...['SlowDown', 'Throttling', 'ThrottlingException', 'RequestLimitExceeded', 'Busy'].map(
    (name): [Error, RegExp] => [answerOf(name, 400), /^it has too many requests/],
  ),
  ...['TooManyRequestsException', 'ServiceUnavailable'].map((name): [Error, RegExp] => [
    answerOf(name, 400),
    /^it has too many requests/,
  ]),
  [answerOf('Unknown', 429), /^it has too many requests/],
  [answerOf('Unknown', 503), /^it has too many requests/],
  ...['BadDigest', 'XAmzContentSHA256Mismatch', 'InvalidDigest', 'IncompleteBody'].map(
    (name): [Error, RegExp] => [answerOf(name, 400), /^files arrive damaged/],
  ),
  [systemError('ENOTFOUND'), /^the name of its host cannot be resolved/],
  [systemError('EAI_AGAIN'), /^the name of its host cannot be resolved/],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'ETIMEDOUT'].map(
    (code): [Error, RegExp] => [systemError(code), /^no connection, or it breaks off/],
  ),
  [answerOf('TimeoutError', 0), /^no connection, or it breaks off/],
  ...[
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ].map((code): [Error, RegExp] => [systemError(code), /^its TLS certificate is not accepted/]),
  [answerOf('AccessDenied', 403), /^it denies access\. Allow s3:GetObject$/],
  [answerOf('AccessDenied', 400), /^it denies access/],
  [answerOf('NotImplemented', 400), /^it does not support a request/],
  [answerOf('Unknown', 501), /^it does not support a request/],
  [answerOf('Unknown', 500), /^it has failed \(status 500\)/],
  [answerOf('MalformedXML', 400), /^its answer is not as expected \(MalformedXML, status 400\)/],
  [
    answerOf('<private name>', 499),
    /^its answer is not as expected \(an unknown error, status 499\)/,
  ],
  ['text', /\(an unknown error, status 0\)/],
];

test('each error of the store has a reason with what the operator can do', () => {
  for (const [error, reason] of CASES) {
    const fault = faultOf(error, 'read');
    assert.match(fault.message, reason);
    assert.equal(fault.isFull, false, fault.message);
    assert.equal(fault.cause, error);
    assert.doesNotMatch(fault.message, /text of|private/);
  }
});

test('a code in the body of an answer counts, and is more precise than the status', () => {
  const error = Object.assign(answerOf('S3ServiceException', 503), { Code: 'NoSuchBucket' });
  assert.match(faultOf(error, 'read').message, /^the bucket does not exist/);
});

test('a full store is reported by its name or its status', () => {
  for (const name of ['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage']) {
    assert.equal(faultOf(answerOf(name, 403), 'write').isFull, true, name);
  }
  assert.equal(faultOf(answerOf('InsufficientCapacity', 500), 'write').isFull, true);
  assert.equal(faultOf(answerOf('Unknown', 507), 'write').isFull, true);
});

test('a denied action names the permissions that it needs', () => {
  const needed: Readonly<Record<Action, string>> = {
    read: 's3:GetObject',
    write: 's3:PutObject and s3:AbortMultipartUpload',
    list: 's3:ListBucket and s3:ListBucketMultipartUploads',
    remove: 's3:DeleteObject and s3:AbortMultipartUpload',
  };
  for (const action of ['read', 'write', 'list', 'remove'] as const) {
    const { message } = faultOf(answerOf('AccessDenied', 403), action);
    assert.equal(message, `it denies access. Allow ${needed[action]}`);
  }
});

test('the status and a broken connection are found in the causes of an error', () => {
  const wrapped = new Error('outer', { cause: answerOf('Unknown', 412) });
  assert.deepEqual([hasStatus(wrapped, 412), hasStatus(wrapped, 409)], [true, false]);
  for (const code of ['ECONNRESET', 'EPIPE']) {
    assert.equal(isBrokenConnection(systemError(code)), true, code);
  }
  assert.equal(isBrokenConnection(answerOf('TimeoutError', 0)), true);
  for (const error of [systemError('ECONNREFUSED'), answerOf('Unknown', 500), null]) {
    assert.equal(isBrokenConnection(error), false);
  }
});
