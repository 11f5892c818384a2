import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBackupTarget } from './backup-target.ts';

const KEYS = {
  SVC_BACKUP_S3_ACCESS_KEY_ID: 'key',
  SVC_BACKUP_S3_SECRET_ACCESS_KEY: 'secret',
};

test('a target is a folder, or a bucket with credentials of its own', () => {
  assert.deepEqual(readBackupTarget('/mnt/backup', {}), { kind: 'folder', path: '/mnt/backup' });
  const environment = { ...KEYS, SVC_BACKUP_S3_SESSION_TOKEN: 'token' };
  assert.deepEqual(readBackupTarget('s3://backups/svc?region=eu-1', environment), {
    kind: 'bucket',
    settings: {
      ...{ bucket: 'backups', prefix: 'svc/', endpoint: null, region: 'eu-1' },
      ...{ timeoutMs: 30_000, redirects: false },
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: 'token' },
    },
  });
});

test('the credentials of the file store are not used, and faults are named without values', () => {
  const aws = { AWS_ACCESS_KEY_ID: 'store', AWS_SECRET_ACCESS_KEY: 'store' };
  assert.throws(() => readBackupTarget('s3://backups?region=eu-1', aws), {
    message:
      'Cannot use the target of the backup: SVC_BACKUP_S3_ACCESS_KEY_ID must be set; SVC_BACKUP_S3_SECRET_ACCESS_KEY must be set',
  });
  assert.throws(() => readBackupTarget('s3://me:hidden@backups?region=eu-1', KEYS), {
    message:
      'Cannot use the target of the backup: must not contain credentials. Set SVC_BACKUP_S3_ACCESS_KEY_ID and SVC_BACKUP_S3_SECRET_ACCESS_KEY',
  });
});
