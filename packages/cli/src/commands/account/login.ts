// `svc login`: signs in in the browser and saves a token made for this machine, or saves a token that is handed in.
import { hostname } from 'node:os';
import type { Account } from '@svc/contracts/platform';
import { type Call, defineCommand } from '../../command-line/define-command.ts';
import { createNetwork } from '../../network/network.ts';
import { formatFields } from '../../output/text.ts';
import {
  API_OPTION,
  type ApiOptions,
  chosenApi,
  readEnvironment,
} from '../../platform/api-address.ts';
import { connect } from '../../platform/connect.ts';
import { prepareToSave, readCredentials, saveCredentials } from '../../platform/credentials.ts';
import { nobodyToAnswer, requirePerson } from '../../platform/require-person.ts';
import { developerSession, signIn } from '../../platform/sign-in.ts';
import { findTokenFault } from '../../platform/token-shape.ts';
import { withApi } from '../../platform/with-platform.ts';
import { canAnswer } from '../../process/attended.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import { readSecret } from '../../process/read-secret.ts';

type LoginOptions = ApiOptions & {
  readonly token?: string;
  readonly web?: boolean;
  readonly verify: boolean;
  readonly open: boolean;
};

export const loginCommand = defineCommand<LoginOptions>({
  name: 'login',
  summary: 'Log in to a publishing platform',
  description: `On a terminal this opens your browser, where you sign in at the platform's identity provider. A token
that is named after this machine is made and saved. With --token - the token is read from standard
input (on a terminal you can paste it, unseen). Without a terminal, and where CI is set, a sign-in with
the browser ends with 3 at once.

The token is saved as plain text in $XDG_CONFIG_HOME/svc/credentials, or ~/.config/svc/credentials,
readable by you only (mode 0600); not in the system's keyring. It is sent to this platform alone.
SVC_TOKEN in the environment wins over it.`,
  options: [
    API_OPTION,
    { flags: '--token <->', help: 'read a token from standard input; only "-" is accepted' },
    { flags: '--web', help: 'sign in with the browser (the default on a terminal)' },
    {
      flags: '--no-open',
      help: 'print the address to sign in at, and open no browser; needs no terminal',
    },
    {
      flags: '--no-verify',
      help: 'save the token of --token without asking the platform about it',
    },
  ],
  examples: [
    ['svc login --api https://api.example.com', 'sign in with the browser'],
    ['printf %s "$TOKEN" | svc login --api https://api.example.com --token -', 'save a token'],
  ],
  async run(call) {
    const { options, io } = call;
    refuseTokenArgument(options.token);
    if (options.token !== undefined && options.web === true) {
      throw usageError('--token and --web are two ways to log in: choose one.');
    }
    const api = apiToLogInTo(call);
    const asked = options.token === undefined && (canAnswer(io) || !options.open);
    const web = options.web === true || asked;
    if (!web && options.token === undefined) {
      throw nobodyToAnswer(io);
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

/** A token on the command line is in the shell's history and in everybody's `ps`. */
function refuseTokenArgument(token: string | undefined): void {
  if (token === undefined || token === '-') return;
  throw usageError(
    'A token on the command line can be read by every user of this machine (ps), and stays in your shell’s history.',
    'Pipe it in with --token -. If this one was real, revoke it: svc token revoke.',
  );
}

/** Where to log in; a saved login is renewed where nothing else is said. */
function apiToLogInTo(call: Call<LoginOptions>): string {
  const chosen = chosenApi(call);
  if (chosen !== null) return chosen;
  try {
    const saved = readCredentials(call.io.env, call.output.warn);
    if (saved !== null) return saved.api;
  } catch (error) {
    // A damaged file is about to be replaced.
    if (!(error instanceof ExitError) || error.code !== 'credentials_unreadable') throw error;
  }
  throw usageError(
    'Log in to which platform?',
    'Name it: svc login --api https://…, or set SVC_API. There is no default address.',
  );
}

async function logInWithToken(call: Call<LoginOptions>, api: string): Promise<Login> {
  const token = await readSecret(call.io, `Token for ${api}: `);
  if (token === '')
    throw new ExitError(EXIT.invalid, 'token_malformed', 'Standard input holds no token.');
  const fault = findTokenFault(token);
  if (fault !== null)
    throw new ExitError(EXIT.invalid, 'token_malformed', `What was handed in ${fault}`);
  if (!call.options.verify) return { token, user: null, made: null };
  const { user } = await withApi(call, api, token, (platform) => platform.call('me', {}));
  return { token, user, made: null };
}

async function logInWithBrowser(call: Call<LoginOptions>, api: string): Promise<Login> {
  requirePerson(call.io, call.options.open);
  prepareToSave(call.io.env, call.output.warn);
  return await withApi(call, api, null, async (platform, signal) => {
    const { io, output, options } = call;
    const idToken = await signIn({ platform, io, output, open: options.open, signal });
    const user = await developerSession(platform, idToken);
    const { note } = output;
    const network = createNetwork(io);
    const owner = connect({ api, credential: idToken, source: null, signal, network, note });
    const name = `svc on ${hostname()}`.slice(0, 80);
    const { secret } = await owner.call('createToken', { body: { name, scopes: ['publish'] } });
    return { token: secret, user, made: name };
  });
}

function report(call: Call<LoginOptions>, api: string, login: Login, path: string): void {
  const { user, made } = login;
  call.output.result(
    { api, user, credentials_path: path, token_name: made, verified: user !== null },
    () => [
      user === null ? `Saved, not verified.` : `Logged in as ${user.name}.`,
      ...formatFields([
        ['platform', api],
        ['saved in', `${path} (plain text, readable by you only)`],
        ...(made === null ? [] : [['token', made] as const]),
      ]),
    ],
  );
  if (readEnvironment(call.io.env).token !== null) {
    call.output.warn('SVC_TOKEN is set, and wins over the token that was saved now.');
  }
}
