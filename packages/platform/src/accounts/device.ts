// Recognizes the device of a sign-in, so that users learn of sign-ins on other devices only.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { UsersTable } from '../database/schema.ts';
import type { Platform } from '../platform.ts';

type Owner = Pick<UsersTable, 'uid' | 'sessions_ended_at'>;

/** Returns what a device keeps after a sign-in. It is another one after the sessions of the user were ended. */
export function deviceOf(
  { signingKey }: Pick<Platform, 'signingKey'>,
  { uid, sessions_ended_at }: Owner,
): string {
  return createHmac('sha256', signingKey)
    .update(`device ${uid} ${sessions_ended_at ?? ''}`)
    .digest('base64url');
}

/** Whether the user has signed in on this device before. */
export function isKnownDevice(
  platform: Pick<Platform, 'signingKey'>,
  user: Owner,
  device: string | undefined,
): boolean {
  if (device === undefined) return false;
  const [sent, expected] = [Buffer.from(device), Buffer.from(deviceOf(platform, user))];
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
