// The operator's settings of the hook that judges builds.
import { isAbsolute } from 'node:path';
import type { HookSettings } from '../hook/publish-hook.ts';
import { isAddress } from './identity-settings.ts';
import { createSettingReader, type Environment } from './setting-reader.ts';

const TIMEOUT_SECONDS = 60;
/** `svc publish` waits for an answer for two minutes, and longer only for a large build. */
const TIMEOUT_BOUNDS = [1, 100] as const;
const SECRET_CHARACTERS = 16;

/** Reads the settings of the hook. Returns null if `SVC_PUBLISH_HOOK` is unset, or if one of them is invalid. Adds the faults to the list. */
export function readHookSettings(environment: Environment, faults: string[]): HookSettings | null {
  const { text, check, count } = createSettingReader(environment, faults);
  const hook = check(
    'SVC_PUBLISH_HOOK',
    'the absolute path of a program, with arguments separated by spaces, or an http or https address without user and fragment',
    (value) => isHookAddress(value) || isAbsolute(value),
  );
  const timeoutMs = count('SVC_PUBLISH_HOOK_TIMEOUT', TIMEOUT_SECONDS, TIMEOUT_BOUNDS) * 1000;
  const secret = check(
    'SVC_PUBLISH_HOOK_SECRET',
    `a text of at least ${SECRET_CHARACTERS} characters`,
    (value) => value.length >= SECRET_CHARACTERS,
  );
  if (hook === null) {
    const other = ['SVC_PUBLISH_HOOK_TIMEOUT', 'SVC_PUBLISH_HOOK_SECRET'].find(
      (name) => text(name) !== null,
    );
    if (other !== undefined) faults.push(`SVC_PUBLISH_HOOK: required with ${other}`);
    return null;
  }
  if (isHookAddress(hook)) return { kind: 'address', url: hook, secret, timeoutMs };
  if (secret !== null) {
    faults.push('SVC_PUBLISH_HOOK_SECRET: only with an address in SVC_PUBLISH_HOOK');
  }
  if (!isAbsolute(hook)) return null;
  const [program = '', ...given] = hook.split(/\s+/);
  return { kind: 'command', command: [program, ...given], timeoutMs };
}

function isHookAddress(value: string): boolean {
  if (!isAddress(value)) return false;
  const { username, password, hash } = new URL(value);
  return username === '' && password === '' && hash === '';
}
