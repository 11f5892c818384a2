// Finds settings that no program of svc reads. A misspelled one would be ignored without a sign.
import { nearWord } from '@svc/contracts/faults';
import type { Environment } from './watch-starter.ts';

const PREFIX = 'SVC_';

const PROVIDERS = ['SVC_OIDC', ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `SVC_OIDC_${number}`)];
const OF_PROVIDERS = [
  ...['ISSUER', 'AUDIENCE', 'CLI_CLIENT_ID', 'NAME', 'JWKS_URL', 'OFFLINE_ACCESS'],
  ...['CLIENT_SECRET', 'CLIENT_AUTH', 'CLIENT_KEY_FILE'],
];

/** The settings that the platform or the store reads, without the limits. Both may have the same environment, so both know all. */
export const SERVER_SETTINGS: readonly string[] = [
  ...PROVIDERS.flatMap((provider) => OF_PROVIDERS.map((name) => `${provider}_${name}`)),
  'SVC_API',
  'SVC_BLOCKED_WORDS',
  'SVC_CACHE_DIR',
  'SVC_CACHE_MIB',
  'SVC_DATABASE_POOL',
  'SVC_DATABASE_TIMEOUT_MS',
  'SVC_DATABASE_URL',
  'SVC_DATA_DIR',
  'SVC_DEVELOPERS',
  'SVC_DEVELOPER_SIGNUP',
  'SVC_DRAIN_SECONDS',
  'SVC_LOG_ADDRESSES',
  'SVC_LOG_FORMAT',
  'SVC_LOG_LEVEL',
  'SVC_MAIL_FROM',
  'SVC_METRICS_HOST',
  'SVC_METRICS_PORT',
  'SVC_MIGRATE',
  'SVC_PLAY_ORIGIN',
  'SVC_PRIVATE_ISSUERS',
  'SVC_PUBLIC_URL',
  'SVC_PUBLISH_HOOK',
  'SVC_PUBLISH_HOOK_SECRET',
  'SVC_PUBLISH_HOOK_TIMEOUT',
  'SVC_PUBLISH_LEASE_SECONDS',
  'SVC_RATE_LIMIT',
  'SVC_SECURITY_CONTACT',
  'SVC_SETTINGS_DIR',
  'SVC_SMTP_TLS',
  'SVC_SMTP_URL',
  'SVC_SPOOL_DIR',
  'SVC_STATS',
  'SVC_STORAGE_DOWNLOADS',
  'SVC_STORAGE_TIMEOUT_MS',
  'SVC_STORAGE_URL',
  'SVC_TAKEN_DOWN_STATUS',
  'SVC_TRACES_RATIO',
  'SVC_TRACES_URL',
  'SVC_TRUST_PROXY',
  'SVC_WEB_DATABASE_URL',
  'SVC_WEB_LINKS',
  'SVC_WEB_NAME',
  'SVC_WEB_ORIGIN',
  'SVC_WEB_OTHER_SECRETS',
  'SVC_WEB_SECRET',
  // Only the commands for backups read these.
  'SVC_BACKUP_S3_ACCESS_KEY_ID',
  'SVC_BACKUP_S3_SECRET_ACCESS_KEY',
  'SVC_BACKUP_S3_SESSION_TOKEN',
];

/** Variables of the command line, of the scripts and of the tests. */
const OF_OTHER_PROGRAMS: ReadonlySet<string> = new Set([
  ...['SVC_BROWSER', 'SVC_CHROMIUM', 'SVC_DEBUG', 'SVC_ID_TOKEN', 'SVC_ID_TOKEN_FILE'],
  ...['SVC_LAUNCH', 'SVC_PICTURES', 'SVC_PROVIDER_KEY', 'SVC_REGISTRY', 'SVC_START_FILE_PID'],
  ...['SVC_CLUSTER_SEED', 'SVC_MUTATION', 'SVC_MUTATION_HIDDEN', 'SVC_TOKEN'],
]);

/** The platform rejects limits that do not exist. */
const OTHER_PREFIX = /^SVC_(?:LIMIT|TEST|BENCH)_/;
/** Kubernetes sets these for a Service whose name begins with `svc-`. */
const OF_KUBERNETES = /_(?:SERVICE_HOST|SERVICE_PORT\w*|PORT|PORT_\d+_(?:TCP|UDP)\w*)$/;

/** Returns a warning that names the unknown settings, with the nearest known names and without values. Null if there are none. */
export function describeUnknownSettings(environment: Environment): string | null {
  const unknown = Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && (environment[name]?.trim() ?? '') !== '')
    .filter((name) => !SERVER_SETTINGS.includes(name) && !OF_OTHER_PROGRAMS.has(name))
    .filter((name) => !OTHER_PREFIX.test(name) && !OF_KUBERNETES.test(name))
    .toSorted();
  if (unknown.length === 0) return null;
  return `settings that do not exist are ignored: ${unknown.map(withNearest).join(', ')}. Correct or remove them`;
}

function withNearest(name: string): string {
  const near = nearWord(
    name.slice(PREFIX.length),
    SERVER_SETTINGS.map((one) => one.slice(PREFIX.length)),
  );
  return near === null ? name : `${name} (did you mean ${PREFIX}${near}?)`;
}
