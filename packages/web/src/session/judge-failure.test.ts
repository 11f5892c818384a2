import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResponseBodyError, WWWAuthenticateChallengeError } from 'oauth4webapi';
import { type Fate, isClientRejected, judgeFailure } from './judge-failure.ts';

/** The errors that `oauth4webapi` throws for an answer with this status. */
function errorsOf(status: number): Error[] {
  const response = new Response(null, { status });
  const body = { cause: { error: 'invalid_grant' }, response };
  const challenges = [{ scheme: 'bearer' as const, parameters: {} }];
  return [
    new ResponseBodyError('x', body),
    new WWWAuthenticateChallengeError('x', { cause: challenges, response }),
    new Error('unexpected answer', { cause: response }),
  ];
}

test('judgeFailure returns for each status whether the provider has used or refused a token', () => {
  const rows: [status: number, fate: Fate][] = [
    [400, 'refused'],
    [401, 'refused'],
    [403, 'refused'],
    [499, 'refused'],
    [408, 'unknown'],
    [429, 'unspent'],
    [503, 'unspent'],
    [500, 'unknown'],
    [502, 'unknown'],
    [504, 'unknown'],
    [200, 'unknown'],
    [302, 'unknown'],
  ];
  for (const [status, fate] of rows) {
    for (const error of errorsOf(status)) {
      assert.equal(judgeFailure(error), fate, `${status} ${error.name}`);
    }
  }
});

test('judgeFailure returns `unspent` only for connections that were never open', () => {
  const failed = (code: string): Error =>
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });
  for (const code of [
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
    'UND_ERR_CONNECT_TIMEOUT',
  ]) {
    assert.equal(judgeFailure(failed(code)), 'unspent', code);
  }
  for (const code of ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', '']) {
    assert.equal(judgeFailure(failed(code)), 'unknown', code);
  }
  for (const other of [new DOMException('x', 'TimeoutError'), new Error('x'), 'x', null]) {
    assert.equal(judgeFailure(other), 'unknown', String(other));
  }
});

test('isClientRejected recognizes the errors about the client, and no others', () => {
  const answered = (status: number, error: string): Error =>
    new ResponseBodyError('x', { cause: { error }, response: new Response(null, { status }) });
  const [, challenge, unexpected] = errorsOf(401);
  for (const error of [
    answered(401, 'invalid_client'),
    answered(400, 'invalid_client'),
    answered(400, 'unauthorized_client'),
    challenge,
  ]) {
    assert.equal(isClientRejected(error), true, String(error?.cause));
  }
  for (const error of [
    answered(401, 'invalid_grant'),
    answered(400, 'invalid_request'),
    errorsOf(403)[1],
    unexpected,
    new Error('x'),
    null,
  ]) {
    assert.equal(isClientRejected(error), false, String(error));
  }
});
