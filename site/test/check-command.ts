// Checks a command of the documents: `svc` by its definitions, npm by the scripts, and paths by the repository.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CommandSpec,
  type GroupSpec,
  InvalidValueError,
  isGroup,
  type OptionSpec,
} from '../../packages/cli/src/command-line/define-command.ts';
import { buildProgram } from '../../packages/cli/src/command-line/program.ts';
import { splitProgram } from '../../packages/cli/src/command-line/split-program.ts';
import { loadAllCommands, pathsOf } from '../../packages/cli/src/commands.ts';
import { ROOT, readWorkspaces } from '../../scripts/workspaces.ts';
import { type Command, commandsIn } from './find-commands.ts';

/** Programs of others in the documents, and why they are there. Their options are not checked. */
const OTHER_PROGRAMS: Readonly<Record<string, string>> = {
  age: 'decrypts a part of a backup',
  'age-keygen': 'makes the key of encrypted backups',
  amtool: 'checks the configuration of Alertmanager, and sends it an alert',
  'apt-get': 'installs packages of Debian',
  apt: 'installs packages of Debian',
  bash: 'runs svc-probe with the environment that it needs',
  brew: 'Homebrew, which reads the recipe of a release',
  buildah: 'makes an image for containers',
  cd: 'part of the shell',
  cat: 'part of the shell',
  chmod: 'part of the shell',
  chown: 'part of the shell',
  cp: 'part of the shell',
  curl: 'sends a request to a server',
  docker: 'starts containers',
  echo: 'part of the shell',
  export: 'part of the shell',
  gh: 'the command line of GitHub, in recipes for its CI',
  git: 'gets the repository',
  grep: 'part of the shell',
  gunzip: 'expands a recording by hand',
  install: 'copies a file with its mode',
  journalctl: 'shows the log of a service',
  makepkg: 'makes a package of Arch Linux',
  mkdir: 'part of the shell',
  mv: 'part of the shell',
  nginx: 'the proxy in front of the servers',
  openssl: 'makes a random secret',
  perf: 'records the stacks of a process',
  pidof: 'finds a process by its name',
  powershell: 'runs install.ps1',
  printf: 'part of the shell',
  python3: 'serves a folder',
  rm: 'part of the shell',
  scoop: 'Scoop, which reads the recipe of a release',
  sed: 'adapts a configuration',
  sh: 'runs install.sh, which e2e/release/install-script.test.ts runs',
  sha256sum: 'checks the sums of a release',
  'ssh-keygen': 'checks the signature of a release',
  systemctl: 'starts the services',
  'systemd-sysusers': 'makes the users of the services',
  'systemd-tmpfiles': 'makes the folders of the services',
  'stackcollapse-perf.pl': 'folds the stacks that perf has recorded',
  tar: 'unpacks an archive of a release',
  test: 'part of the shell',
  '[': 'part of the shell',
  visudo: 'permits svc-probe',
};

/** Code that looks like a command and is none, or that belongs to the reader. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'npm run build': 'a script of the game',
};

const NPM_COMMANDS = ['ci', 'install', 'uninstall', 'publish', 'exec', 'config'];

/** The programs of the documents, and the commands of svc as `svc trace info`. */
export async function programNames(): Promise<ReadonlySet<string>> {
  const ours = pathsOf(await loadAllCommands()).map((path) => ['svc', ...path].join(' '));
  const started = ['svc', 'npx', 'npm', 'node', ...STARTERS, RUNNER, ...Object.keys(SERVERS)];
  const others = Object.keys(OTHER_PROGRAMS).filter((name) => name !== 'test');
  return new Set([...started, ...others, ...ours]);
}

/** Returns why a command of a document would not work. Null if nothing is wrong. */
export async function findFault(command: Command): Promise<string | null> {
  const text = command.words.join(' ');
  if (Object.hasOwn(EXCEPTIONS, text)) return null;
  const [first = '', ...rest] = command.words;
  const again = (words: readonly string[]) => findFault({ ...command, words });
  if (first === 'npx') return await again(rest);
  if (STARTERS.includes(first)) {
    const own = rest.findIndex((word) => isPlain(word) && !/^\w+=/.test(word));
    return own < 0 ? null : await again(rest.slice(own));
  }
  if (first === 'svc' || first === 'svc/svc') return await svcFault(rest, command.isWhole);
  const server = first.replace(/^svc-server\/bin\//, '');
  if (first === RUNNER) return await again(['svc-platform', ...rest]);
  if (SERVERS[server] !== undefined) return serverFault(SERVERS[server], rest);
  if (first === 'npm') return await npmFault(rest, command);
  if (first === 'node') return missingPath(rest);
  if (Object.hasOwn(OTHER_PROGRAMS, first)) return null;
  return !command.isWhole && (await isCommandOfSvc(first))
    ? await svcFault(command.words, false)
    : `"${first}" is no program that site/test/check-command.ts explains`;
}

/** Programs that start another one after their own options and settings: `env -i A=b svc`. */
const STARTERS = ['sudo', 'systemd-run', 'env'];

/** The script of the guide that runs commands of the platform beside its service. */
const RUNNER = 'svc-platform-run';

const isPlain = (word: string): boolean => !word.startsWith('-');

async function isCommandOfSvc(word: string): Promise<boolean> {
  return (await loadAllCommands()).some(({ name }) => name === word);
}

/** Parses the words by the program itself, which does not run the command. */
async function svcFault(words: readonly string[], isWhole: boolean): Promise<string | null> {
  const specs = (await loadAllCommands()).map(tolerant);
  for (const variant of variantsOf(words)) {
    const program = silentProgram(specs);
    try {
      await program.parseAsync([...splitProgram(variant, specs).words], { from: 'user' });
    } catch (error) {
      if (!isUsageError(error)) throw error;
      if (!isAllowed(error, variant, isWhole)) return error.message;
    }
  }
  return null;
}

/** An argument is none of the words that the command offers. */
class UnknownWordError extends Error {
  readonly code = 'word';
  readonly exitCode = 2;
}

/** The program, which checks its arguments in the place of running a command, and prints nothing. */
function silentProgram(specs: readonly (CommandSpec | GroupSpec)[]): CliProgram {
  const program = buildProgram(specs, async ({ arguments: named = [] }, args) => {
    for (const [index, { value }] of named.entries()) {
      const word = args[index] ?? '';
      const isKnown = value?.kind !== 'words' || value.words.includes(word) || isPlaceholder(word);
      if (!isKnown && word !== '')
        throw new UnknownWordError(`"${word}" is none of: ${value.words}`);
    }
  });
  const groups = program.commands;
  for (const one of [program, ...groups, ...groups.flatMap(({ commands }) => commands)]) {
    one.configureOutput({ writeOut: () => {}, writeErr: () => {} });
  }
  return program;
}

type CliProgram = ReturnType<typeof buildProgram>;

/** The error that commander throws instead of ending the process. */
type UsageError = Error & { readonly code: string; readonly exitCode: number };

function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && 'code' in error && 'exitCode' in error;
}

/** Help is no fault. Code in a sentence may leave out arguments, values and required options. */
function isAllowed(
  { code, exitCode }: UsageError,
  words: readonly string[],
  isWhole: boolean,
): boolean {
  if (exitCode === 0) return true;
  if (isWhole) return false;
  if (code === 'commander.help') return words.every((word) => !word.startsWith('-'));
  return [
    'commander.missingArgument',
    'commander.missingMandatoryOptionValue',
    'commander.optionMissingArgument',
  ].includes(code);
}

/** `list|create` stands for two commands, `[FILE]` for one that has the argument, and `…` for the rest. */
function variantsOf(words: readonly string[]): string[][] {
  const plain = words
    .filter((word) => word !== '…' && word !== '...')
    .map((word) => word.replaceAll(/^\[|\]$/g, ''));
  return plain.reduce<string[][]>(
    (variants, word) =>
      variants.flatMap((before) => alternatives(word).map((one) => [...before, one])),
    [[]],
  );
}

function alternatives(word: string): string[] {
  return /^[a-z]+(?:\|[a-z]+)+$/.test(word) ? word.split('|') : [word];
}

/** A word that stands for a value: `FILE`, `DIR|ZIP`, `PROVIDER/MODEL`, `$VERSION`. */
const isPlaceholder = (text: string): boolean => /^\$?[A-Z][A-Z_|/.]*$/.test(text);

/** The definition, with options that also accept a word that stands for a value. */
function tolerant<Spec extends CommandSpec | GroupSpec>(spec: Spec): Spec {
  if (isGroup(spec)) return { ...spec, commands: spec.commands.map(tolerant) };
  return { ...spec, options: (spec.options ?? []).map(withPlaceholders) };
}

function withPlaceholders({ choices, parse, ...option }: OptionSpec): OptionSpec {
  return {
    ...option,
    parse: (text) => {
      if (isPlaceholder(text)) return text;
      if (choices?.includes(text) === false) throw new InvalidValueError(`One of ${choices}.`);
      return parse === undefined ? text : parse(text);
    },
  };
}

/** The sources that read the options of the servers, and their other commands. */
const SERVERS: Readonly<
  Record<string, { readonly sources: string; readonly commands: readonly string[] }>
> = {
  'svc-platform': {
    sources: 'packages/platform/src/{main,commands/*,commands/admin/*,commands/backup/*}.ts',
    commands: ['admin', 'backup', 'backups', 'check', 'migrate', 'restore', 'test-mail'],
  },
  'svc-web': { sources: 'packages/web/src/main.ts', commands: [] },
};

function serverFault(
  { sources, commands }: { readonly sources: string; readonly commands: readonly string[] },
  words: readonly string[],
): string | null {
  const plain = words.map((word) => word.replaceAll(/^\[|\]$/g, ''));
  const [first = '--'] = plain;
  if (/^[a-z]/.test(first) && !commands.includes(first))
    return `"${first}" is no command of the server`;
  return unknownFlag(plain, readAll(sources));
}

/** The text of all files of the repository that match a pattern. */
export function readAll(pattern: string): string {
  return globSync(pattern, { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
}

/** Finds an option that the source does not read. */
function unknownFlag(words: readonly string[], source: string): string | null {
  const flag = words.find((word) => /^--./.test(word) && !hasOption(word, source));
  return flag === undefined ? null : `there is no option ${flag}`;
}

/** Whether a source reads an option, by `parseArgs` or by its name. */
export function hasOption(flag: string, source: string): boolean {
  return new RegExp(`[\\s{]'?${flag.slice(2)}'?: \\{ type:|'${flag}'`).test(source);
}

async function npmFault(words: readonly string[], command: Command): Promise<string | null> {
  const [first = '', ...rest] = words;
  if (first === 'exec' && rest[0] === '-c') return await firstFault(rest[1] ?? '', command);
  if (first === 'run') return runFault(rest[0] ?? '', rest.slice(1));
  if (first === 'start' || first === 'test') return runFault(first, rest);
  return NPM_COMMANDS.includes(first) ? null : `npm has no command "${first}"`;
}

async function firstFault(script: string, { isWhole, line }: Command): Promise<string | null> {
  for (const one of commandsIn(script, isWhole, line)) {
    const fault = await findFault(one);
    if (fault !== null) return fault;
  }
  return null;
}

function runFault(name: string, rest: readonly string[]): string | null {
  const scripts = rest[0] === '-w' ? scriptsOf(rest[1] ?? '') : rootScripts();
  const script = scripts[name];
  if (script === undefined) return `there is no script "${name}"`;
  const args = rest.includes('--') ? rest.slice(rest.indexOf('--') + 1) : [];
  const source = /\S+\.ts/.exec(script)?.[0];
  return (
    argumentFault(name, args) ?? (source === undefined ? null : unknownFlag(args, readAll(source)))
  );
}

function rootScripts(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts;
}

/** The scripts of a workspace, by its name or the last part of its folder. */
function scriptsOf(workspace: string): Readonly<Record<string, string>> {
  const found = readWorkspaces().find(({ manifest }) => manifest.name === workspace);
  return found?.manifest.scripts ?? {};
}

/** Finds an argument that selects no test, source or benchmark. */
function argumentFault(name: string, args: readonly string[]): string | null {
  const patterns: Readonly<Record<string, string>> = {
    test: '{packages,e2e,scripts,release,site}/**/*.test.ts',
    'test:long': '{packages,e2e,scripts,release,site,bench}/**/*.long.test.ts',
    mutate: 'packages/*/src/**/*.ts',
    bench: 'bench/*.bench.ts',
  };
  const pattern = patterns[name];
  const plain = args.filter(
    (word, index) => !word.startsWith('-') && !args[index - 1]?.startsWith('--'),
  );
  if (pattern === undefined || plain.length === 0) return null;
  const paths = globSync(pattern, { cwd: ROOT, exclude: (path) => path.includes('node_modules') });
  const wanted = plain.find((part) => !paths.some((path) => path.includes(part)));
  return wanted === undefined ? null : `"${wanted}" selects nothing`;
}

/** Finds a path of the repository that does not exist. */
function missingPath(words: readonly string[]): string | null {
  const paths = words.filter((word) => /^(?:\.\/)?[\w-]+\/[\w./-]+$/.test(word));
  const missing = paths.find((path) => !existsSync(join(ROOT, path)));
  return missing === undefined ? null : `${missing} does not exist`;
}
