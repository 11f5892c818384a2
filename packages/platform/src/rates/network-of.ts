// What an address belongs to, for limits that one person with many addresses must not avoid.

const GROUPS = 8;
/** A home or a server has all IPv6 addresses that begin with the same 64 bits. */
const ADDRESS_GROUPS = 4;
/** A provider gives a customer at most the IPv6 addresses that begin with the same 48 bits. */
const NETWORK_GROUPS = 3;
const NETWORK_BYTES = 3;

/** Returns an IPv4 address as it is, and of an IPv6 address the first 64 bits. */
export function addressOf(ip: string): string {
  return readIPv4(ip) ?? firstGroups(ip, ADDRESS_GROUPS);
}

/** Returns the first 24 bits of an IPv4 address, and of an IPv6 address the first 48 bits. */
export function networkOf(ip: string): string {
  const address = readIPv4(ip);
  if (address === null) return firstGroups(ip, NETWORK_GROUPS);
  return address.split('.').slice(0, NETWORK_BYTES).join('.');
}

/** Returns the IPv4 address, also if it is written as an IPv6 address or has a port, and null for other IPv6 addresses. */
function readIPv4(ip: string): string | null {
  // Some proxies add the port of the client, which each connection chooses anew.
  const mapped = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(ip)?.[1];
  return mapped ?? (ip.includes(':') ? null : ip);
}

function firstGroups(ip: string, count: number): string {
  const [head = '', tail] = ip.toLowerCase().split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const zeros = Array<string>(Math.max(0, GROUPS - before.length - after.length)).fill('0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return groups
    .slice(0, count)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
