// Finds the host at which others reach a server.

const EVERY_INTERFACE = ['0.0.0.0', '[::]', '[::ffff:0:0]'];

/**
 * The host as written in a URL. Null for an address that means all interfaces, because no host
 * follows from it.
 */
export function reachableHost(listensOn: string): string | null {
  if (listensOn === '') return null;
  const written = listensOn.includes(':') ? `[${listensOn}]` : listensOn;
  if (!URL.canParse(`http://${written}`)) return written;
  const { hostname } = new URL(`http://${written}`);
  return EVERY_INTERFACE.includes(hostname) ? null : hostname;
}
