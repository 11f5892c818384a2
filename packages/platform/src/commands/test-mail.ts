// `svc-platform test-mail`: sends one e-mail with the settings of the server, and ends.
import { parseArgs } from 'node:util';
import { cleanLine } from '@svc/contracts/platform';
import { newId } from '../database/new-id.ts';
import { MailError, openTransport } from '../mail/open-transport.ts';
import { readSettings } from '../start/settings.ts';
import type { Command } from './command.ts';
import { readWords } from './read-words.ts';

export const testMail: Command = {
  usage: 'svc-platform test-mail ADDRESS [--json]',
  help: `  Sends one e-mail to ADDRESS by the mail server of SVC_SMTP_URL, and prints its answer. It needs no database.

  --json  print {"event":"mail_accepted","to":…,"server":…}
`,
  async run(args, environment) {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const [to = ''] = readWords('test-mail', ['ADDRESS'], positionals);
    const { mail } = readSettings(environment);
    if (mail === null) throw new Error('Cannot send an e-mail: SVC_SMTP_URL is not set');
    const server = `${mail.host}:${mail.port}`;
    await openTransport(mail)({
      ...{ to, id: newId(), subject: 'Test e-mail' },
      text: 'svc-platform can send e-mails with these settings.\n',
    }).catch((error: unknown) => {
      throw error instanceof MailError ? describeFailure(server, error) : error;
    });
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ event: 'mail_accepted', to, server })}\n`
        : `${server} has accepted an e-mail to ${to}. If it does not arrive, look at the log of this server, and for spam\n`,
    );
  },
};

/** The answer of the server is for the operator, and has no secrets. */
function describeFailure(server: string, { step, code, cause }: MailError): Error {
  const at = step === '' ? '' : ` at ${step}`;
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : code;
  return new Error(`${server} did not accept the e-mail${at}: ${cleanLine(reason)}`);
}
