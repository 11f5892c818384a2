// `svc login`: signs in with the browser and saves a new token for this machine, or saves a token from standard input.
import { hostname } from 'node:os';
import type { Account } from '@svc/contracts/platform';
import {
  type Call,
  defineCommand,
  type OptionSpec,
  type OptionValues,
} from '../../command-line/define-command.ts';
import { createNetwork } from '../../network/network.ts';
import { formatFields } from '../../output/text.ts';
import { API_OPTION, chosenApi, readEnvironment } from '../../platform/api-address.ts';
import { PROVIDER_OPTION } from '../../platform/choose-provider.ts';
import { connect } from '../../platform/connect.ts';
import { prepareToSave, readCredentials, saveCredentials } from '../../platform/credentials.ts';
import { noInputError, requirePerson } from '../../platform/require-person.ts';
import { developerSession, signIn } from '../../platform/sign-in.ts';
import { findTokenFault } from '../../platform/token-shape.ts';
import { withApi } from '../../platform/with-platform.ts';
import { canAnswer } from '../../process/attended.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import { readSecret } from '../../process/read-secret.ts';

const OPTIONS = [
  API_OPTION,
  { flags: '--token <->', help: 'read a token from standard input; only "-" is accepted' },
  { flags: '--web', help: 'sign in with the browser (the default on a terminal)' },
  PROVIDER_OPTION,
  {
    flags: '--no-open',
    help: 'print the address of the sign-in page and do not open a browser; works without a terminal',
  },
  {
    flags: '--no-verify',
    help: 'save the token of --token without checking it with the platform',
  },
] as const satisfies readonly OptionSpec[];

type LoginOptions = OptionValues<typeof OPTIONS>;

export const loginCommand = defineCommand({
  name: 'login',
  summary: 'Log in to a publishing platform',
  description: `On a terminal, svc opens your browser, and you sign in at the platform's identity provider. If the platform has several, svc asks which one, unless you name it with --provider. svc then creates a token named after this machine and saves it. With --token - svc reads a token from standard input instead; on a terminal you can paste it, and it is not shown. Without a terminal, or if CI is set, a sign-in with the browser ends with exit code 3.

The token is saved as plain text in $XDG_CONFIG_HOME/svc/credentials, or ~/.config/svc/credentials, which only you can read (mode 0600). It is not stored in the system's keyring. svc sends it to this platform only. SVC_TOKEN in the environment takes precedence.`,
  options: OPTIONS,
  examples: [
    ['svc login --api https://api.example.com', 'sign in with the browser'],
    ['printf %s "$TOKEN" | svc login --api https://api.example.com --token -', 'save a token'],
  ],
  document: 'login',
  async run(call) {
    const { options, io } = call;
    refuseTokenArgument(options.token);
    if (options.token !== undefined && options.web === true) {
      throw usageError('--token and --web cannot be combined. Choose one way to log in.');
    }
    if (options.token !== undefined && options.provider !== undefined) {
      throw usageError('--token and --provider cannot be combined. Choose one way to log in.');
    }
    const api = apiToLogInTo(call);
    const asked = options.token === undefined && (canAnswer(io) || !options.open);
    const web = options.web === true || options.provider !== undefined || asked;
    if (!web && options.token === undefined) {
      throw noInputError(io);
    }
    const login = web ? await logInWithBrowser(call, api) : await logInWithToken(call, api);
    report(
      call,
      api,
      login,
      saveCredentials(io.env, { api, token: login.token }, call.output.warn),
    );
  },
});

type Login = {
  readonly token: string;
  readonly user: Account | null;
  readonly made: string | null;
};

/** Rejects a token as an argument: the shell's history and every user's `ps` would show it. */
function refuseTokenArgument(token: string | undefined): void {
  if (token === undefined || token === '-') return;
  throw usageError(
    'Every user of this machine can read a token on the command line (with ps), and your shell’s history keeps it.',
    'Pipe the token into --token -. If this token was real, revoke it with svc token revoke.',
  );
}

/** The platform to log in to: the chosen one, else that of the saved login. */
function apiToLogInTo(call: Call<LoginOptions>): string {
  const chosen = chosenApi(call);
  if (chosen !== null) return chosen;
  try {
    const saved = readCredentials(call.io.env, call.output.warn);
    if (saved !== null) return saved.api;
  } catch (error) {
    // The login replaces a damaged file.
    if (!(error instanceof ExitError) || error.code !== 'credentials_unreadable') throw error;
  }
  throw usageError(
    'No platform is chosen.',
    'Run svc login --api https://…, or set SVC_API. There is no default address.',
  );
}

async function logInWithToken(call: Call<LoginOptions>, api: string): Promise<Login> {
  const token = await readSecret(call.io, `Token for ${api}: `);
  if (token === '')
    throw new ExitError(
      EXIT.invalid,
      'token_malformed',
      'Standard input is empty. Pipe a token into it.',
    );
  const fault = findTokenFault(token);
  if (fault !== null)
    throw new ExitError(EXIT.invalid, 'token_malformed', `The text on standard input ${fault}`);
  if (!call.options.verify) return { token, user: null, made: null };
  const { user } = await withApi(call, api, token, (platform) => platform.call('me', {}));
  return { token, user, made: null };
}

async function logInWithBrowser(call: Call<LoginOptions>, api: string): Promise<Login> {
  requirePerson(call.io, call.options.open);
  prepareToSave(call.io.env, call.output.warn);
  return await withApi(call, api, null, async (platform, signal) => {
    const { io, output, options } = call;
    const { open, provider = null } = options;
    const idToken = await signIn({ platform, io, output, open, provider, signal });
    const user = await developerSession(platform, idToken);
    const { note } = output;
    const network = createNetwork(io);
    const owner = connect({ api, credential: idToken, source: null, signal, network, note });
    const name = `svc on ${hostname()}`.slice(0, 80);
    const { secret } = await owner.call('createToken', { body: { name, scopes: ['publish'] } });
    return { token: secret, user, made: name };
  });
}

function report(call: Call<LoginOptions, 'login'>, api: string, login: Login, path: string): void {
  const { user, made } = login;
  call.output.result(
    { api, user, credentials_path: path, token_name: made, verified: user !== null },
    () => [
      user === null ? 'Saved the token without checking it.' : `Logged in as ${user.name}.`,
      ...formatFields([
        ['platform', api],
        ['saved in', `${path} (plain text; only you can read it)`],
        ...(made === null ? [] : [['token', made] as const]),
      ]),
    ],
  );
  if (readEnvironment(call.io.env).token !== null) {
    call.output.warn('SVC_TOKEN is set and takes precedence over the saved token.');
  }
}
