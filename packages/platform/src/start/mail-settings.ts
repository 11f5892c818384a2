// The operator's settings of e-mail.
import type { MailSettings } from '../mail/open-transport.ts';
import { createSettingReader, type Environment } from './setting-reader.ts';

const SMTP_PORT = 587;
const SMTPS_PORT = 465;

/** Reads the settings of e-mail. Returns null if `SVC_SMTP_URL` is unset, or if one of them is invalid. Adds the faults to the list. */
export function readMailSettings(environment: Environment, faults: string[]): MailSettings | null {
  const { check } = createSettingReader(environment, faults);
  const url = check(
    'SVC_SMTP_URL',
    'smtp:// or smtps://, a host, and if they are needed a user, a password and a port: smtps://user:password@mail.example',
    isSmtpUrl,
  );
  const from = check(
    'SVC_MAIL_FROM',
    'an e-mail address, or a name with one: Games <games@games.example>',
    (value) => readSender(value) !== null,
  );
  const tls = check('SVC_SMTP_TLS', 'required or off', (value) => /^(?:required|off)$/.test(value));
  if (url === null || !isSmtpUrl(url)) return null;
  const sender = from === null ? null : readSender(from);
  if (from === null) faults.push('SVC_MAIL_FROM: required with SVC_SMTP_URL');
  if (sender === null) return null;
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    ...{ host, secure, from: sender },
    port: port === '' ? (secure ? SMTPS_PORT : SMTP_PORT) : Number(port),
    // Nobody listens between two programs of one machine.
    requiresTls: tls === null ? !isLoopback(host) : tls === 'required',
    login:
      username === ''
        ? null
        : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
  };
}

function isSmtpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(value);
  const isPlain = /^\/?$/.test(pathname) && search === '' && hash === '';
  const isHost = hostname !== '' && !hostname.includes('%');
  // A password without a user would not be used.
  const isLogin = username !== '' || password === '';
  return (
    /^smtps?:$/.test(protocol) &&
    isHost &&
    isLogin &&
    isPlain &&
    isEncoded(username) &&
    isEncoded(password)
  );
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Parses `address` or `name <address>`. Null for other texts. */
function readSender(value: string): MailSettings['from'] | null {
  const [, name = '', inner, bare] =
    /^(?:([^<>"\p{Cc}]*)<([^<>\s]+)>|([^<>\s]+))$/u.exec(value) ?? [];
  const address = inner ?? bare ?? '';
  if (!/^[^@\s,;:()[\]\\"]+@[^@\s,;:()[\]\\"]+$/.test(address)) return null;
  return { name: name.trim(), address };
}

function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === 'localhost' ||
    name === 'localhost.' ||
    host === '::1' ||
    /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}
