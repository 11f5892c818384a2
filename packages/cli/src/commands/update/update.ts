// `svc update --check`: asks a registry of npm which version of svc is the newest. Nothing else in svc asks for versions.
import { gt, valid } from 'semver';
import { Type } from 'typebox';
import { Check } from 'typebox/schema';
import { defineCommand, InvalidValueError } from '../../command-line/define-command.ts';
import { createNetwork } from '../../network/network.ts';
import { NetworkError } from '../../network/network-error.ts';
import { safeLine } from '../../output/text.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import { interruptible } from '../../process/interrupt.ts';
import type { Io } from '../../process/io.ts';
import { IS_PACKAGED, IS_SINGLE_FILE } from '../../process/packaged-files.ts';
import { VERSION } from '../../process/version.ts';

const PACKAGE = '@svc/cli';
const REGISTRY = 'https://registry.npmjs.org';
const ANSWER_BYTES = 1024 * 1024;
/** The longest time that the whole request may take. */
const WHOLE_MS = 30_000;
const CHECK_REGISTRY = 'Check the address of the registry, or try again later.';

/** What is used of the registry's description of a version. */
const Description = Type.Object({ version: Type.String({ maxLength: 64 }) });

export const updateCommand = defineCommand({
  name: 'update',
  summary: 'Ask whether there is a newer version of svc',
  description: `svc asks for versions only if you run this command. It requests ${PACKAGE} from the npm registry, and sends only that name and the version of this svc. It does not change the installed svc: it prints the command that does.`,
  options: [
    { flags: '--check', help: 'ask, and change nothing', required: true },
    {
      flags: '--registry <URL>',
      help: `another registry (default: SVC_REGISTRY, else ${REGISTRY})`,
      parse: parseRegistry,
    },
  ],
  document: 'update',
  async run({ io, options, output }) {
    const registry = options.registry ?? registryOf(io);
    const latest = await askForLatest(registry, io);
    const newer = gt(latest, VERSION);
    output.result({ current: VERSION, latest, newer, registry }, () =>
      newer
        ? [`svc ${latest} is available. This is ${VERSION}.`, '', howToUpdate(latest, registry)]
        : [`svc ${VERSION} is the newest version.`],
    );
  },
});

function parseRegistry(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new InvalidValueError(`Write an address such as ${REGISTRY}.`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new InvalidValueError('It must not contain a user name, a query or a fragment.');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function registryOf({ env }: Io): string {
  const text = env['SVC_REGISTRY'] ?? '';
  if (text === '') return REGISTRY;
  try {
    return parseRegistry(text);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    // The value is not repeated: it can contain a password.
    throw usageError(`SVC_REGISTRY is not an address of a registry. ${error.message}`);
  }
}

async function askForLatest(registry: string, io: Io): Promise<string> {
  const answer = await ask(`${registry}/${PACKAGE.replace('/', '%2f')}/latest`, io);
  if (!answer.ok) throw refusal(registry, answer);
  const description = await readJson(answer);
  const version = Check(Description, description) ? valid(description.version) : null;
  if (version === null) {
    throw new ExitError(
      EXIT.server,
      'answer_unreadable',
      `${registry} answered with no version of ${PACKAGE}.`,
      { hint: CHECK_REGISTRY },
    );
  }
  return version;
}

async function ask(address: string, io: Io): Promise<Response> {
  return await interruptible(io, async (stopped) => {
    const late = AbortSignal.timeout(WHOLE_MS);
    const signal = AbortSignal.any([stopped, late]);
    const init = { signal, headers: { accept: 'application/json' } };
    try {
      return await createNetwork(io).send(address, init, { answer_bytes: ANSWER_BYTES });
    } catch (error) {
      if (stopped.aborted) throw error;
      if (late.aborted) {
        const seconds = WHOLE_MS / 1000;
        throw new ExitError(
          EXIT.unreachable,
          'unreachable',
          `${new URL(address).origin} did not answer within ${seconds} s.`,
          { hint: 'Try again later.' },
        );
      }
      if (!(error instanceof NetworkError)) throw error;
      const hint = error.code === 'answer_unreadable' ? CHECK_REGISTRY : error.hint;
      throw new ExitError(error.exitCode, error.code, error.message, { hint, cause: error });
    }
  });
}

/** The error for an answer without a version. */
function refusal(registry: string, { status, headers }: Response): ExitError {
  if (status === 404) {
    return new ExitError(EXIT.not_found, 'not_found', `${registry} does not have ${PACKAGE}.`, {
      hint: 'Name the registry that svc was installed from: --registry URL.',
    });
  }
  if (status === 401 || status === 403) {
    const [exit, code] =
      status === 401
        ? ([EXIT.unauthenticated, 'unauthenticated'] as const)
        : ([EXIT.forbidden, 'forbidden'] as const);
    return new ExitError(exit, code, `${registry} asks for a password, which svc does not send.`, {
      hint: `Ask npm: npm view ${PACKAGE} version.`,
    });
  }
  if (status === 429) {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    return new ExitError(
      EXIT.unreachable,
      'rate_limited',
      `${registry} has had too many requests.`,
      {
        hint: 'Try again later.',
        ...(Number.isFinite(seconds) && seconds >= 0 ? { retry_after_s: seconds } : {}),
      },
    );
  }
  const target = headers.get('location');
  return new ExitError(
    EXIT.server,
    target === null ? 'answer_unreadable' : 'redirected',
    target === null
      ? `${registry} answered with ${status}.`
      : `${registry} answered with ${status} and another address: ${safeLine(target)}`,
    { hint: CHECK_REGISTRY },
  );
}

async function readJson(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    return null;
  }
}

function howToUpdate(version: string, registry: string): string {
  if (IS_SINGLE_FILE) {
    return 'Update it in the way it was installed: with the install.sh, the package or the archive of the new release.';
  }
  return IS_PACKAGED
    ? `Update it with: npm install --global ${PACKAGE}@${version}${registry === REGISTRY ? '' : ` --registry ${registry}`}`
    : 'This svc runs from a checkout. Update it with Git.';
}
