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

/** Replies to the recipient that are about the login or the sender. */
const OF_SETTINGS = [530, 534, 535, 554];

/** An e-mail was not accepted. */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** The reply of the server, or the code of the connection, for the log. */
  readonly code: string;
  /** At which step it failed, such as `RCPT TO`, for the log. */
  readonly step: string;
  /** Whether sending it again is of no use: the server does not accept this recipient. */
  readonly isFinal: boolean;
  /** Whether other e-mails would fail now too. */
  readonly isOutage: boolean;
  constructor(cause: unknown) {
    super('The mail server did not accept an e-mail', { cause });
    const { code, command, responseCode } = Object(cause) as Readonly<Record<string, unknown>>;
    const status = typeof responseCode === 'number' ? responseCode : null;
    this.code = String(status ?? code ?? 'unknown');
    this.step = typeof command === 'string' ? command : '';
    // An address that is not one is never sent to the server.
    const isInvalid = code === 'EENVELOPE' && status === null;
    const isOfRecipient = this.step === 'RCPT TO' && status !== null;
    const isOfSettings = status === 421 || OF_SETTINGS.some((one) => one === status);
    this.isFinal = isInvalid || (isOfRecipient && status >= 500 && !isOfSettings);
    // A reply to the data may be about this e-mail only. All else is about the sender or the server.
    const isOfMail = isInvalid || isOfRecipient || code === 'EMESSAGE';
    this.isOutage = !isOfMail || isOfSettings;
  }
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;
/** Time limit of an e-mail. A server can be slow without being silent. */
const MAIL_MS = 45_000;

/** Returns the function that sends e-mails. It opens a connection for each, which may take `limitMs`. */
export function openTransport(settings: MailSettings, limitMs: number = MAIL_MS): SendMail {
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
      const sending = transport.sendMail({
        ...{ from, subject, text, messageId: `<${id}@${domain}>` },
        // An object is one address. A text could be a list of them.
        to: { name: '', address: to },
        // So that no program answers (RFC 3834, section 5).
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      await within(sending, limitMs);
    } catch (error) {
      throw new MailError(error);
    }
  };
}

/** Throws if the work takes longer. It is not waited for any more, and what it returns later is ignored. */
async function within(work: Promise<unknown>, limitMs: number): Promise<void> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(Object.assign(new Error(), { code: 'ETIMEDOUT' })),
    limitMs,
  );
  try {
    await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
