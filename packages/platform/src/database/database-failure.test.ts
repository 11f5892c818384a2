import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@svc/serve';
import pg from 'pg';
import { isConnectionError, isOutage, reasonOf, toFailure } from './database-failure.ts';

function databaseError(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('the message', 11, 'error'), { code });
}

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('the message'), { code: 'ERR_SQLITE_ERROR', errcode });
}

const answerOf = (error: unknown): unknown => {
  const failure = toFailure(error);
  return failure instanceof ApiError ? [failure.code, failure.parts.headers] : failure;
};

test('a connection that has failed is unavailable, and is not used again', () => {
  const errors = [
    ...['08006', '57P01', '57P02', '57P03', '57P05', '53300', '25P03', '25P04', '25006'].map(
      databaseError,
    ),
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED'].map(
      (code) => Object.assign(new Error('socket'), { code }),
    ),
    ...['ERR_SOCKET_CLOSED', 'ERR_SSL_WRONG_VERSION_NUMBER'].map((code) =>
      Object.assign(new Error('socket'), { code }),
    ),
    new Error('Client was closed and is not queryable'),
    new Error('Connection terminated unexpectedly'),
    new Error('Client has encountered a connection error and is not queryable'),
    new Error('Query read timeout'),
  ];
  for (const error of errors) {
    assert.equal(isConnectionError(error), true, String(error));
    assert.deepEqual(answerOf(error), ['unavailable', { 'Retry-After': '2' }], String(error));
  }
});

test('a database that cannot keep up is unavailable, a conflict of transactions is busy, and the connection remains', () => {
  for (const code of ['57014', '53200', '53400', '58030']) {
    const error = databaseError(code);
    assert.deepEqual(answerOf(error), ['unavailable', { 'Retry-After': '2' }], code);
    assert.equal(isConnectionError(error), false, code);
  }
  for (const code of ['55P03', '40001', '40P01']) {
    const error = databaseError(code);
    assert.deepEqual(answerOf(error), ['busy', { 'Retry-After': '1' }], code);
    assert.equal(isConnectionError(error), false, code);
  }
});

test('SQLite: a lock of another program is busy, a file that cannot be read or written is unavailable', () => {
  // BUSY, BUSY_RECOVERY, BUSY_SNAPSHOT.
  for (const errcode of [5, 261, 517]) {
    assert.deepEqual(answerOf(sqliteError(errcode)), ['busy', { 'Retry-After': '1' }]);
    assert.equal(isOutage(sqliteError(errcode)), false);
  }
  // NOMEM, READONLY, READONLY_DBMOVED, IOERR, IOERR_WRITE, CANTOPEN.
  for (const errcode of [7, 8, 1032, 10, 778, 14]) {
    assert.deepEqual(answerOf(sqliteError(errcode)), ['unavailable', { 'Retry-After': '2' }]);
    assert.equal(isOutage(sqliteError(errcode)), true);
  }
});

test('a full disk is storage_full on both engines, and no outage', () => {
  for (const error of [databaseError('53100'), sqliteError(13)]) {
    assert.deepEqual(answerOf(error), ['storage_full', undefined]);
    assert.equal(isOutage(error), false);
  }
});

test('other errors are returned unchanged: constraints, a damaged file, wrong statements, bugs', () => {
  const errors = [
    ...['23505', '23503', '42601', '22P02'].map(databaseError),
    // ERROR, CORRUPT, CONSTRAINT_FOREIGNKEY, CONSTRAINT_UNIQUE.
    ...[1, 11, 787, 2067].map(sqliteError),
    new TypeError('x is not a function'),
    'text',
    null,
  ];
  for (const error of errors) {
    assert.equal(toFailure(error), error);
    assert.equal(isConnectionError(error), false);
  }
});

test('reasonOf lists the errors of all addresses of a host', () => {
  const errors = [new Error('connect ECONNREFUSED ::1:5432'), new Error('connect ECONNREFUSED')];
  assert.equal(
    reasonOf(new AggregateError(errors)),
    'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED',
  );
  assert.equal(reasonOf(new Error('one')), 'one');
});
