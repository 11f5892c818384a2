// Reads where backups are: the argument of a command, and the credentials of a bucket.
import type { TargetPlace } from '../backup/open-target.ts';
import { readStorageAddress } from '../files/s3/storage-address.ts';
import { createSettingReader, type Environment } from './setting-reader.ts';

/** Time limit in milliseconds of a request to the bucket, without the time for the bytes that it sends. */
const TIMEOUT_MS = 30_000;
const KEY_ID = 'SVC_BACKUP_S3_ACCESS_KEY_ID';
const SECRET = 'SVC_BACKUP_S3_SECRET_ACCESS_KEY';
const SESSION = 'SVC_BACKUP_S3_SESSION_TOKEN';

/**
 * Reads a target: the path of a folder, or an `s3://` address. A bucket has credentials of its own. Those of the file store are never
 * used for it. Throws an error that lists all faults, without values.
 */
export function readBackupTarget(target: string, environment: Environment): TargetPlace {
  if (!target.startsWith('s3://')) return { kind: 'folder', path: target };
  const { text } = createSettingReader(environment, []);
  const accessKeyId = text(KEY_ID);
  const secretAccessKey = text(SECRET);
  const sessionToken = text(SESSION);
  const address = readStorageAddress(target, `${KEY_ID} and ${SECRET}`);
  const faults = 'bucket' in address ? [] : [...address];
  if (accessKeyId === null) faults.push(`${KEY_ID} must be set`);
  if (secretAccessKey === null) faults.push(`${SECRET} must be set`);
  if (!('bucket' in address) || accessKeyId === null || secretAccessKey === null) {
    throw new Error(`Cannot use the target of the backup: ${faults.join('; ')}`);
  }
  const credentials = {
    ...{ accessKeyId, secretAccessKey },
    ...(sessionToken !== null && { sessionToken }),
  };
  const settings = { ...address, timeoutMs: TIMEOUT_MS, redirects: false, credentials };
  return { kind: 'bucket', settings };
}
