// The commands in a document: the lines of its shell blocks, the scripts in its YAML recipes, and code in its sentences.
import { parse as parseShell } from 'shell-quote';
import { parseAllDocuments } from 'yaml';
import type { Code } from '../markdown/parse-markdown.ts';

/** A command. `isWhole` is false for code in a sentence, which may leave out arguments: "`svc publish` sends …". */
export type Command = {
  readonly words: readonly string[];
  readonly isWhole: boolean;
  readonly line: number;
};

/** The languages of blocks that contain no commands. */
const OTHER_LANGUAGES = [
  ...['text', 'js', 'ts', 'html', 'ini', 'nginx', 'caddyfile'],
  ...['c', 'csharp', 'gdscript', 'rust'],
];

/**
 * The commands in the code of a document. `names` has programs, and the commands of svc as `svc trace info`. Throws if a block
 * has a language that is not known here.
 */
export function findCommands(all: readonly Code[], names: ReadonlySet<string>): Command[] {
  return all.flatMap(({ language, text, line }) => {
    if (language === null) {
      return isCommand(text, names) ? commandsIn(withoutPipes(text), false, line) : [];
    }
    if (language === 'sh' || language === 'powershell') return commandsIn(text, true, line);
    if (language === 'yaml') return scriptsIn(text).flatMap((one) => commandsIn(one, true, line));
    if (language === 'json')
      return serversIn(text).map((words) => ({ words, isWhole: true, line }));
    if (OTHER_LANGUAGES.includes(language)) return [];
    throw new Error(`line ${line}: a block of code has the unknown language "${language}"`);
  });
}

/** Whether code in a sentence is a command: `npm ci`, `gunzip -k`, `trace info FILE`, `play DIR`. */
function isCommand(text: string, names: ReadonlySet<string>): boolean {
  const [first = '', second = ''] = text.split(' ');
  if (second === '') return false;
  return (
    names.has(first) ||
    names.has(`svc ${first} ${second}`) ||
    (names.has(`svc ${first}`) && /^\[?[A-Z]{2}/.test(second)) ||
    (/^[a-z][\w-]*$/.test(first) && /^-{1,2}[a-z]/.test(second))
  );
}

/** In a sentence, `DIR|ZIP` is a choice. */
function withoutPipes(text: string): string {
  return text.replaceAll(/(?<=\S)\|(?=\S)/g, '\\|');
}

/** The simple commands of a script: `A=b npm ci && (cd x; svc check)` has three. */
export function commandsIn(script: string, isWhole: boolean, line: number): Command[] {
  return joinedLines(script).flatMap((text) => {
    const entries = parseShell(text, (name) => `$${name}`);
    const commands: string[][] = [[]];
    for (const [index, entry] of entries.entries()) {
      const next = entries[index + 1];
      if (isRedirection(entry) || isRedirection(entries[index - 1])) continue;
      if (typeof entry === 'string') {
        commands.at(-1)?.push(isOperator(next, '(') ? entry.replace(/\$$/, SUBSTITUTED) : entry);
      } else if ('pattern' in entry) commands.at(-1)?.push(entry.pattern);
      else if ('op' in entry) commands.push([]);
    }
    return commands
      .map((words) => withoutAssignments(words))
      .filter((words) => words.length > 0)
      .map((words) => ({ words, isWhole, line }));
  });
}

/** Stands for the output of `$(…)`, whose commands follow. */
const SUBSTITUTED = 'OUTPUT';

type Entry = ReturnType<typeof parseShell>[number] | undefined;

function isRedirection(entry: Entry): boolean {
  return isOperator(entry, '>') || isOperator(entry, '<') || isOperator(entry, '>>');
}

function isOperator(entry: Entry, op: string): boolean {
  return typeof entry === 'object' && 'op' in entry && entry.op === op;
}

/** A line that ends with a backslash or an operator continues on the next one. GitHub replaces `${{ … }}` before the shell. */
function joinedLines(script: string): string[] {
  return script
    .replaceAll(/\$\{\{.*?\}\}/g, '1')
    .replaceAll(/(?:\\|(&&|\|\|?))\n\s*/g, '$1 ')
    .split('\n');
}

/** `A=b svc` runs `svc`, and `A=b` alone runs nothing. */
function withoutAssignments(words: readonly string[]): string[] {
  const first = words.findIndex((word) => !/^\w+=/.test(word));
  return first < 0 ? [] : words.slice(first);
}

/** The scripts of a recipe for GitHub or GitLab. */
function scriptsIn(yaml: string): string[] {
  return parseAllDocuments(yaml).flatMap((document) =>
    valuesOf(document.toJS(), ['run', 'script', 'before_script', 'after_script']),
  );
}

function valuesOf(value: unknown, keys: readonly string[]): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    keys.includes(key) ? [inner].flat().map(String) : valuesOf(inner, keys),
  );
}

type Servers = Readonly<
  Record<string, { readonly command: string; readonly args: readonly string[] }>
>;

/** The programs that the settings of a coding assistant start. */
function serversIn(json: string): string[][] {
  const { mcpServers, servers = mcpServers ?? {} } = JSON.parse(json) as {
    mcpServers?: Servers;
    servers?: Servers;
  };
  return Object.values(servers).map(({ command, args }) => [command, ...args]);
}
