// `svc init`: writes svc.json from guesses and from answers of the user.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { ENGINES, findTextFault, PLATFORM_LIMITS, SLUG_PATTERN } from '@svc/contracts/platform';
import {
  type Call,
  defineCommand,
  InvalidValueError,
  type OptionSpec,
  type OptionValues,
} from '../../command-line/define-command.ts';
import { formatFields, safeText } from '../../output/text.ts';
import { canAnswer } from '../../process/attended.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import { findBuildPathFault, toBuildPath } from '../../project/build-path.ts';
import { type Guess, guessProject } from '../../project/guess-project.ts';
import {
  PROJECT_FILE,
  type ProjectFile,
  readProjectFile,
  writeProjectFile,
} from '../../project/project-file.ts';

const OPTIONS = [
  { flags: '--title <T>', help: 'the name of the game', parse: parseTitle },
  {
    flags: '--slug <SLUG>',
    help: 'the name of the game in addresses (default: made from the title)',
    parse: parseSlug,
  },
  {
    flags: '--engine <ENGINE>',
    help: 'the engine of the game',
    choices: ENGINES,
    value: { kind: 'words', words: ENGINES },
  },
  {
    flags: '--build <DIR|ZIP>',
    help: 'the folder or ZIP to publish, below this folder',
    parse: parseBuild,
    value: { kind: 'file' },
  },
  { flags: '-y, --yes', help: 'accept all guesses without asking' },
] as const satisfies readonly OptionSpec[];

type InitOptions = OptionValues<typeof OPTIONS>;

export const initCommand = defineCommand({
  name: 'init',
  summary: `Write ${PROJECT_FILE} for the game in this folder`,
  description: `svc guesses the title, the engine and the build folder from the files in this folder. On a terminal it asks you to confirm them.

The fields of ${PROJECT_FILE} are id (written by the first publish), slug, title, engine, build (the folder or ZIP to publish), ignore (patterns as in .gitignore; the file .svcignore does the same) and budgets (limits for svc trace budget). Keep the file in version control. It must not contain a token.`,
  options: OPTIONS,
  examples: [
    ['svc init', 'guess, ask, and write svc.json'],
    ['svc init --yes --title "Space Cats"', 'in a script'],
  ],
  document: 'init',
  async run(call) {
    const { io, output } = call;
    if (readProjectFile(io.cwd) !== null) {
      throw new ExitError(EXIT.conflict, 'project_file_exists', `${PROJECT_FILE} exists already.`, {
        hint: 'Edit it, or remove it and run svc init again.',
      });
    }
    const guess = guessProject(io.cwd);
    const interactive = call.options.yes !== true && canAnswer(io) && !output.json;
    const project = interactive ? await ask(call, guess) : decide(call.options, guess);
    writeProjectFile(io.cwd, project);
    output.result({ path: PROJECT_FILE, project }, () => [
      `Wrote ${PROJECT_FILE}.`,
      ...formatFields(fieldsOf(project)),
    ]);
    output.note(nextStep(project, io.cwd));
  },
});

function parseTitle(text: string): string {
  const title = text.trim();
  const length = [...title].length;
  if (length === 0 || length > PLATFORM_LIMITS.title_characters) {
    throw new InvalidValueError(`A title has 1 to ${PLATFORM_LIMITS.title_characters} characters.`);
  }
  const fault = findTextFault(title, 'line');
  if (fault !== null) throw new InvalidValueError(`The title ${fault}.`);
  return title;
}

function parseSlug(text: string): string {
  const { slug_minimum_characters: least, slug_characters: most } = PLATFORM_LIMITS;
  if (!new RegExp(SLUG_PATTERN).test(text) || text.length < least || text.length > most) {
    throw new InvalidValueError(
      `A slug has ${least} to ${most} characters: lower-case letters (a-z), digits, and single hyphens between them.`,
    );
  }
  return text;
}

function parseBuild(text: string): string {
  const build = toBuildPath(text);
  const fault = findBuildPathFault(build);
  if (fault !== null) throw new InvalidValueError(fault.message);
  return build;
}

function decide(options: InitOptions, guess: Guess): ProjectFile {
  const build = options.build ?? guess.build;
  return {
    title: options.title ?? guess.title,
    ...(options.slug === undefined ? {} : { slug: options.slug }),
    engine: options.engine ?? guess.engine,
    ...(build === null ? {} : { build }),
  };
}

/** Asks for the title and the build. Accepts the guessed engine, which is only shown in the catalog. */
async function ask(call: Call<InitOptions>, guess: Guess): Promise<ProjectFile> {
  const { io, options } = call;
  const stop = new AbortController();
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  for (const gone of ['SIGINT', 'close'] as const) lines.on(gone, () => stop.abort());
  const question = async (text: string, preset: string): Promise<string> => {
    const answer = await lines.question(`${text} [${preset}]: `, { signal: stop.signal });
    return answer.trim() === '' ? preset : answer.trim();
  };
  try {
    const title = options.title ?? parseTitle(await question('Title', guess.title));
    const build =
      options.build ?? parseBuild(await question('Folder with the build', guess.build ?? '.'));
    return { ...decide(options, guess), title, build };
  } catch (error) {
    if (stop.signal.aborted) throw new ExitError(EXIT.interrupted, 'interrupted', 'Interrupted.');
    if (error instanceof InvalidValueError)
      throw new ExitError(EXIT.invalid, 'invalid_input', error.message);
    throw error;
  } finally {
    lines.close();
  }
}

function fieldsOf(project: ProjectFile): (readonly [string, string])[] {
  return [
    ['title', project.title],
    ['engine', project.engine ?? 'html5'],
    ['build', project.build ?? '(not found; build the game, then add "build" to svc.json)'],
  ];
}

function nextStep({ build }: ProjectFile, cwd: string): string {
  if (build === undefined) {
    return 'Next: build the game, name the build folder in svc.json, and run svc check.';
  }
  return existsSync(resolve(cwd, build))
    ? 'Next: run svc check to check the build, and svc publish to publish it.'
    : `${safeText(build)} does not exist yet. Next: build the game and run svc check.`;
}
