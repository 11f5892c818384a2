import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnsafeFolderError } from './check-folder.ts';
import { noRoomReason, reasonNotStored } from './no-room.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

test("reasonNotStored: no room, an unsafe folder, a folder that can't be written to; null for any other failure", () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG']) {
    for (const error of [failure(code), new Error('wrapped', { cause: failure(code) })]) {
      assert.equal(noRoomReason(error), code);
      assert.equal(reasonNotStored(error), 'the disk is full');
    }
  }
  for (const code of [
    ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST'],
    ...['ELOOP', 'ENAMETOOLONG', 'ENXIO', 'EIO'],
  ]) {
    assert.equal(noRoomReason(failure(code)), null);
    const why = `the data folder is gone, or cannot be written to (${code})`;
    assert.equal(reasonNotStored(failure(code)), why);
    assert.equal(reasonNotStored(new Error('wrapped', { cause: failure(code) })), why);
  }
  assert.equal(
    reasonNotStored(new UnsafeFolderError('Others can write to it')),
    'Others can write to it',
  );
  for (const error of [failure('EMFILE'), new Error('x'), new TypeError('y'), 'ENOSPC', null]) {
    assert.equal(noRoomReason(error), null);
    assert.equal(reasonNotStored(error), null);
  }
});
