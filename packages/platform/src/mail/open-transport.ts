// Sends single e-mails through the operator's server.
import { createTransport } from 'nodemailer';

/** The operator's mail server. */
export type MailSettings = {
  readonly host: string;
  readonly port: number;
  /** Whether the connection begins with TLS. If not, STARTTLS follows. */
  readonly secure: boolean;
  /** Whether nothing is sent over a connection without TLS. */
  readonly requiresTls: boolean;
  /** Null for a server that needs no login. */
  readonly login: { readonly user: string; readonly pass: string } | null;
  /** The sender of all e-mails. */
  readonly from: { readonly name: string; readonly address: string };
};

type Mail = {
  /** The address of the recipient. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Unique, and the same if the e-mail is sent again, so that programs show it once. */
  readonly id: string;
};

/** Sends one e-mail. Resolves when the server has accepted it, and throws a {@link MailError}. */
export type SendMail = (mail: Mail) => Promise<void>;

/** An e-mail was not accepted. */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** A word for the log: the code of the server, or of the connection. */
  readonly code: string;
  /** Whether sending it again is of no use. */
  readonly isFinal: boolean;
  /** Whether other e-mails would fail now too. */
  readonly isOutage: boolean;
  constructor(cause: unknown) {
    super('The mail server did not accept an e-mail', { cause });
    const { code, responseCode } = Object(cause) as { code?: unknown; responseCode?: unknown };
    const status = typeof responseCode === 'number' ? responseCode : null;
    this.code = String(status ?? code ?? 'unknown');
    // A login that fails is a fault of the settings, which the operator can correct.
    const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
    this.isFinal = isOfMail && (status === null || status >= 500);
    this.isOutage = !isOfMail;
  }
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;

/** Returns the function that sends e-mails. It opens a connection for each. */
export function openTransport(settings: MailSettings): SendMail {
  const { host, port, secure, requiresTls, login, from } = settings;
  const transport = createTransport({
    ...{ host, port, secure, requireTLS: requiresTls, ignoreTLS: !requiresTls },
    ...(login === null ? {} : { auth: login }),
    ...{ connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, dnsTimeout: CONNECT_MS },
    ...{ socketTimeout: SILENCE_MS, disableFileAccess: true, disableUrlAccess: true },
  });
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return async ({ to, subject, text, id }) => {
    try {
      await transport.sendMail({
        ...{ from, subject, text, messageId: `<${id}@${domain}>` },
        // An object is one address. A text could be a list of them.
        to: { name: '', address: to },
        // So that no program answers (RFC 3834, section 5).
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    } catch (error) {
      throw new MailError(error);
    }
  };
}
