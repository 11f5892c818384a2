// `svc token create`: creates a personal access token, for another machine or for CI.
import { type CreateToken, findTextFault } from '@svc/contracts/platform';
import {
  type Call,
  defineCommand,
  InvalidValueError,
  type OptionSpec,
  type OptionValues,
} from '../../command-line/define-command.ts';
import { formatFields } from '../../output/text.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { asOwner, SIGN_IN_NOTE, SIGN_IN_OPTIONS } from '../../platform/as-owner.ts';

const OPTIONS = [
  API_OPTION,
  {
    flags: '--name <NAME>',
    help: 'the purpose of the token, 1 to 80 characters',
    required: true,
    parse: parseName,
  },
  {
    flags: '--scope <SCOPE...>',
    help: 'publish, which includes read, or read (default: publish)',
    value: { kind: 'words', words: ['publish', 'read'] },
    choices: ['publish', 'read'],
  },
  { flags: '--project <ID...>', help: 'restrict the token to these projects' },
  {
    flags: '--expires-in-days <N>',
    help: 'days until the token expires, or "never" (default: 365)',
    parse: parseDays,
  },
  ...SIGN_IN_OPTIONS,
] as const satisfies readonly OptionSpec[];

type CreateOptions = OptionValues<typeof OPTIONS>;

export const createTokenCommand = defineCommand({
  name: 'create',
  summary: 'Create a token and print it once',
  description: `Only the token is written to standard output, so that you can pipe it into a secret store. svc does not save it; svc login --token - does.

${SIGN_IN_NOTE}`,
  options: OPTIONS,
  examples: [
    [
      'svc token create --name ci --project ID | gh secret set SVC_TOKEN',
      'a token for one game, stored as a GitHub secret',
    ],
  ],
  document: 'token-create',
  async run(call) {
    await asOwner(call, async (owner) => {
      const { token, secret } = await owner.call('createToken', { body: requestOf(call) });
      call.output.result({ token, secret }, () => secret);
      if (!call.output.json) {
        const fields = formatFields([
          ['id', token.id],
          ['name', token.name],
          ['scopes', token.scopes.join(', ')],
          ['expires', token.expires_at ?? 'never'],
        ]);
        call.output.note([...fields, 'The token is not shown again.'].join('\n'));
      }
    });
  },
});

function requestOf({ options }: Call<CreateOptions>): CreateToken {
  return {
    name: options.name,
    scopes: options.scope === undefined ? ['publish'] : [...new Set(options.scope)],
    ...(options.project === undefined ? {} : { projects: [...new Set(options.project)] }),
    ...expiry(options.expiresInDays),
  };
}

function expiry(days: CreateOptions['expiresInDays']): Pick<CreateToken, 'expires_in_days'> {
  if (days === undefined) return {};
  return { expires_in_days: days === 'never' ? null : days };
}

function parseName(text: string): string {
  const fault = findTextFault(text, 'line');
  if (fault !== null) throw new InvalidValueError(`The name ${fault}.`);
  return text;
}

/** Returns "never" instead of null, because commander takes null for a missing value. */
function parseDays(text: string): number | 'never' {
  if (text === 'never') return text;
  const days = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (days === 0)
    throw new InvalidValueError('Write a number of days from 1 to 99999, or "never".');
  return days;
}
