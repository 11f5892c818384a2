// The host by which others reach a server that listens on an address.

const EVERY_INTERFACE = ['0.0.0.0', '[::]', '[::ffff:0:0]'];

/**
 * The host as it is written in an address. Null for an address that stands for every interface of the machine: no host
 * follows from it.
 */
export function reachableHost(listensOn: string): string | null {
  if (listensOn === '') return null;
  const written = listensOn.includes(':') ? `[${listensOn}]` : listensOn;
  if (!URL.canParse(`http://${written}`)) return written;
  const { hostname } = new URL(`http://${written}`);
  return EVERY_INTERFACE.includes(hostname) ? null : hostname;
}
