// Reads SVC_STORAGE_URL, and the targets of backups: s3://bucket/prefix?endpoint=https://…&region=…

export type StorageAddress = {
  readonly bucket: string;
  /** The start of all keys: empty, or with a slash at the end. */
  readonly prefix: string;
  /** Null for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
};

const PARAMETERS = ['endpoint', 'region'];
/** Servers with an address of their own usually accept any region, and AWS's client uses this name for them. */
const ANY_REGION = 'us-east-1';

/** Returns the address, or the faults of the text, without values. `keys` are the variables that credentials belong in. */
export function readStorageAddress(
  text: string,
  keys = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
): StorageAddress | readonly string[] {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:') return ['must be an s3://bucket address'];
  const endpoint = url.searchParams.get('endpoint');
  const region = url.searchParams.get('region');
  const prefix = url.pathname.replace(/^\/|\/$/g, '');
  const faults = [
    isBucket(url.host) ? null : 'the name of the bucket is invalid',
    url.username === '' && url.password === '' ? null : `must not contain credentials. Set ${keys}`,
    isPrefix(prefix)
      ? null
      : 'the prefix may have letters, digits, ".", "_", "-" and single slashes',
    hasOnce(url, PARAMETERS)
      ? null
      : 'the only parameters are endpoint and region, each at most once',
    endpoint === null || isEndpoint(endpoint)
      ? null
      : 'the endpoint must be an http or https address without query',
    region === null || /^[a-z0-9-]{1,40}$/i.test(region) ? null : 'the region is invalid',
    region === null && endpoint === null ? 'a region is required without an endpoint' : null,
  ].filter((fault) => fault !== null);
  if (faults.length > 0) return faults;
  return {
    bucket: url.host,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: region ?? ANY_REGION,
  };
}

function isBucket(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{1,253}[a-z0-9]$/i.test(text);
}

function isPrefix(text: string): boolean {
  return text === '' || /^[\w.-]+(?:\/[\w.-]+)*$/.test(text);
}

function isEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return /^https?:$/.test(url?.protocol ?? '') && url?.username === '' && !/[?#]/.test(text);
}

/** Returns whether the address has only these parameters, each at most once, and no fragment. */
function hasOnce(url: URL, names: readonly string[]): boolean {
  const given = [...url.searchParams.keys()];
  const isKnown = given.every((name) => names.includes(name));
  return isKnown && new Set(given).size === given.length && url.hash === '';
}
