// The operator's settings of the file store.
import type { StorageSettings } from '../files/s3/connect-store.ts';
import { readStorageAddress } from '../files/s3/storage-address.ts';
import { createSettingReader, type Environment, type SettingReader } from './setting-reader.ts';

const TIMEOUT_MS = 4000;
const TIMEOUT_BOUNDS = [100, 60_000] as const;

/**
 * Reads the settings of the object store. Returns null if `SVC_STORAGE_URL` is unset, or if one of them is invalid. Adds the
 * faults to the list, without values.
 */
export function readStorageSettings(
  environment: Environment,
  faults: string[],
): StorageSettings | null {
  const { text, check, count } = createSettingReader(environment, faults);
  const url = text('SVC_STORAGE_URL');
  const timeoutMs = count('SVC_STORAGE_TIMEOUT_MS', TIMEOUT_MS, TIMEOUT_BOUNDS);
  const isMode = (value: string): boolean => value === 'stream' || value === 'redirect';
  const downloads = check('SVC_STORAGE_DOWNLOADS', 'stream or redirect', isMode);
  // Without a store, the variables of AWS belong to other programs.
  if (url === null) return null;
  const read = readStorageAddress(url);
  const credentials = readCredentials(text, faults);
  if ('bucket' in read) {
    return { ...read, timeoutMs, redirects: downloads === 'redirect', credentials };
  }
  faults.push(...read.map((fault) => `SVC_STORAGE_URL: ${fault}`));
  return null;
}

function readCredentials(
  text: SettingReader['text'],
  faults: string[],
): StorageSettings['credentials'] {
  const accessKeyId = text('AWS_ACCESS_KEY_ID');
  const secretAccessKey = text('AWS_SECRET_ACCESS_KEY');
  const sessionToken = text('AWS_SESSION_TOKEN');
  if (accessKeyId !== null && secretAccessKey !== null) {
    return { accessKeyId, secretAccessKey, ...(sessionToken !== null && { sessionToken }) };
  }
  if (accessKeyId !== null) faults.push('AWS_SECRET_ACCESS_KEY: required with AWS_ACCESS_KEY_ID');
  else if (secretAccessKey !== null || sessionToken !== null)
    faults.push('AWS_ACCESS_KEY_ID: required with AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN');
  return null;
}
