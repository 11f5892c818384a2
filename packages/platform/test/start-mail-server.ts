// A mail server on 127.0.0.1 that keeps what it receives. Its answers can be changed.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import type { MailSettings } from '../src/mail/open-transport.ts';

/** An e-mail as the server received it. */
type Received = {
  readonly to: readonly string[];
  /** The header fields with lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
};

export type MailServer = AsyncDisposable & {
  readonly received: Received[];
  /** The logins that were tried, as `user:password`. */
  readonly logins: string[];
  /** What fails for all e-mails: a step is answered with an SMTP status, or the server takes a long time. */
  fault: { readonly step: 'MAIL' | 'RCPT' | 'DATA'; readonly status: number } | 'slow' | null;
  /** Addresses that are answered with an SMTP status. */
  readonly refused: Map<string, number>;
  /** The settings of a platform that uses the server. */
  readonly settings: MailSettings;
};

/** Starts the server. Without `tls` it does not offer STARTTLS. */
export async function startMailServer({ tls = false } = {}): Promise<MailServer> {
  const received: Received[] = [];
  const logins: string[] = [];
  const refused = new Map<string, number>();
  const server = new SMTPServer({
    logger: false,
    // A client that waits for an answer is not waited for.
    closeTimeout: 100,
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: tls ? [] : ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      logins.push(`${username}:${password}`);
      done(null, { user: username });
    },
    onMailFrom(_address, _session, done) {
      if (opened.fault !== 'slow') done(faultAt('MAIL'));
    },
    onRcptTo({ address }, _session, done) {
      done(reply(refused.get(address)) ?? faultAt('RCPT'));
    },
    onData(stream, { envelope }, done) {
      void text(stream).then((message) => {
        const fault = faultAt('DATA');
        if (fault !== undefined) return done(fault);
        received.push({ to: envelope.rcptTo.map(({ address }) => address), ...parse(message) });
        done();
      });
    },
  });
  const faultAt = (step: string): Error | undefined =>
    opened.fault !== null && opened.fault !== 'slow' && opened.fault.step === step
      ? reply(opened.fault.status)
      : undefined;
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  const opened: MailServer = {
    ...{ received, logins, refused, fault: null },
    settings: {
      ...{ host: '127.0.0.1', port: typeof address === 'object' ? (address?.port ?? 0) : 0 },
      ...{ secure: false, requiresTls: false, login: null },
      from: { name: 'The store', address: 'store@games.example' },
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return opened;
}

function reply(responseCode: number | undefined): Error | undefined {
  return responseCode === undefined
    ? undefined
    : Object.assign(new Error('Refused'), { responseCode });
}

function parse(message: string): Omit<Received, 'to'> {
  const end = message.indexOf('\r\n\r\n');
  const fields = message
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(':');
      return [
        field.slice(0, colon).toLowerCase(),
        decodeWords(field.slice(colon + 1).trim()),
      ] as const;
    }),
  );
  const body = message.slice(end + 4);
  const isQuoted = headers.get('content-transfer-encoding') === 'quoted-printable';
  const decoded = isQuoted ? decodeQuoted(body) : body;
  return { headers, text: decoded.replaceAll('\r\n', '\n') };
}

/** RFC 2047, the encoding Q. */
function decodeWords(field: string): string {
  return field
    .replaceAll(/\?= +=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?Q\?([^?]*)\?=/gi, (_, word: string) =>
      decodeQuoted(word.replaceAll('_', ' ')),
    );
}

/** RFC 2045, section 6.7. */
function decodeQuoted(body: string): string {
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`)));
  return Buffer.from(bytes, 'latin1').toString();
}
