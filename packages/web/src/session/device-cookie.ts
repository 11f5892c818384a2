// Reads and writes the cookie by which the API recognizes a device that has signed in before.
import type { FastifyReply } from 'fastify';
import type { SealedCookies } from './sealed-cookies.ts';

const NAME = 'svc_device';
/** The longest time for which browsers keep a cookie: 400 days. */
const SECONDS = 400 * 24 * 3600;

/** What the API has sent to this device, as the field of a sign-in. Empty if the cookie is missing or invalid. */
export async function readDevice(
  cookies: SealedCookies,
  header: string | undefined,
): Promise<{ device?: string }> {
  const value = await cookies.open(NAME, header);
  if (typeof value !== 'object' || value === null) return {};
  const device: unknown = Reflect.get(value, 'device');
  return typeof device === 'string' && isDevice(device) ? { device } : {};
}

/** Stores what the API has sent. Stores nothing if it has sent nothing that it accepts itself. */
export async function keepDevice(
  cookies: SealedCookies,
  reply: FastifyReply,
  device: string | undefined,
): Promise<void> {
  if (device === undefined || !isDevice(device)) return;
  reply.header('set-cookie', await cookies.seal(NAME, { device }, SECONDS));
}

/** Removes what the API has sent from the browser. */
export function dropDevice(cookies: SealedCookies, reply: FastifyReply): void {
  reply.header('set-cookie', cookies.clear(NAME));
}

function isDevice(text: string): boolean {
  return /^[!-~]{1,128}$/.test(text);
}
