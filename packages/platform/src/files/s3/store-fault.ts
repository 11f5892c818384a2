// What an error of the object store means: the code for the client, and for the operator the reason with what to do.
/** What the server does with the store. */
export type Action = 'read' | 'write' | 'list' | 'remove';

const PERMISSIONS: Readonly<Record<Action, string>> = {
  read: 's3:GetObject',
  write: 's3:PutObject and s3:AbortMultipartUpload',
  list: 's3:ListBucket and s3:ListBucketMultipartUploads',
  remove: 's3:DeleteObject and s3:AbortMultipartUpload',
};

/** An error of the store, with the reason for the operator. It contains no names and no credentials. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  readonly isFull: boolean;
  constructor(reason: string, isFull: boolean, options: ErrorOptions) {
    super(reason, options);
    this.isFull = isFull;
  }
}

/** The store did not answer in time. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

type Row = readonly [names: RegExp, statuses: readonly number[], reason: string];

/** The first row with the name or the status of the error applies. Names are codes of S3, of its client, or of the system. */
const ROWS: readonly Row[] = [
  [/^LateError$/, [], 'it does not answer in time. Check the store and the network'],
  [
    /^NoSuchBucket$/,
    [],
    'the bucket does not exist. Create it, or correct the bucket, the endpoint and the region',
  ],
  [
    /^(?:PermanentRedirect|TemporaryRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/,
    [301, 302, 307, 308],
    'the bucket is in another region or at another endpoint. Correct the endpoint and the region',
  ],
  [
    /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|TokenRefreshRequired)$/,
    [401],
    'it rejects the credentials. Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the profile',
  ],
  [
    /^RequestTimeTooSkewed$/,
    [],
    'the clocks of this server and of the store differ too much. Correct the clock',
  ],
  [
    /^(?:CredentialsProviderError|TokenProviderError)$/,
    [],
    'there are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE and AWS_PROFILE',
  ],
  [
    /^(?:SlowDown|Throttl\w*|TooManyRequests\w*|RequestLimitExceeded|ServiceUnavailable|Busy)$/,
    [429, 503],
    'it has too many requests. Raise its limits, or wait',
  ],
  [
    /^(?:BadDigest|XAmzContentSHA256Mismatch|InvalidDigest|IncompleteBody)$/,
    [],
    'files arrive damaged. Check the network and the proxies on the way to the store',
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN)$/,
    [],
    'the name of its host cannot be resolved. Check the endpoint and the DNS',
  ],
  [
    /^(?:E[A-Z]{3,}|TimeoutError)$/,
    [],
    'no connection, or it breaks off. Check the endpoint, the store and the network',
  ],
  [
    /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/,
    [],
    'its TLS certificate is not accepted. Check the endpoint, or set NODE_EXTRA_CA_CERTS',
  ],
];

const FULL_NAMES = /^(?:QuotaExceeded|XMinioStorageFull|InsufficientStorage|InsufficientCapacity)$/;
const FULL_STATUS = 507;

/** Returns the fault for an error of the store's client. */
export function faultOf(error: unknown, action: Action): StoreFault {
  const { names, status } = identify(error);
  if (names.some((name) => FULL_NAMES.test(name)) || status === FULL_STATUS) {
    const reason = 'the store or the quota of the bucket is full. Raise it, or remove files';
    return new StoreFault(reason, true, { cause: error });
  }
  const row =
    ROWS.find(([pattern]) => names.some((name) => pattern.test(name))) ??
    ROWS.find(([, statuses]) => statuses.includes(status));
  return new StoreFault(row?.[2] ?? otherReason(names, status, action), false, { cause: error });
}

function otherReason(names: readonly string[], status: number, action: Action): string {
  if (status === 403 || names.includes('AccessDenied'))
    return `it denies access. Allow ${PERMISSIONS[action]}`;
  if (status === 501 || names.includes('NotImplemented')) {
    return 'it does not support a request that the server needs';
  }
  if (status >= 500) return `it has failed (status ${status}). Check the store`;
  const name = names.find((one) => /^\w{1,64}$/.test(one)) ?? 'an unknown error';
  return `its answer is not as expected (${name}, status ${status}). Check that the endpoint is an S3 server`;
}

/** The names of an error and of its causes, and the status of the answer, 0 if there was none. */
function identify(error: unknown): { names: string[]; status: number } {
  const names: string[] = [];
  let status = 0;
  for (let one = error; one instanceof Error && names.length < 20; one = one.cause) {
    names.push(one.name);
    if ('Code' in one) names.push(String(one.Code));
    if ('code' in one) names.push(String(one.code));
    if ('$metadata' in one) status ||= statusOf(one.$metadata);
  }
  return { names, status };
}

function statusOf(metadata: unknown): number {
  const isObject = typeof metadata === 'object' && metadata !== null;
  const status = isObject && 'httpStatusCode' in metadata ? metadata.httpStatusCode : 0;
  return typeof status === 'number' ? status : 0;
}

/** Returns whether the store answered with this status. */
export function hasStatus(error: unknown, status: number): boolean {
  return identify(error).status === status;
}

/** Returns whether the connection was lost before the whole answer had arrived. */
export function isBrokenConnection(error: unknown): boolean {
  return identify(error).names.some((name) => /^(?:ECONNRESET|EPIPE|TimeoutError)$/.test(name));
}
