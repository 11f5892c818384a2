// Finds processes by a name that a person types.
import type { Kin } from './listed-process.ts';

/** The names of a process: its own, and the words of its command line. */
export type Named = { readonly name: string; readonly words: readonly string[] };

/**
 * The processes that the name fits best, in their order. These are the first of the following that fit at least one
 * process, each without regard to case: the name of the process or its program, a part of these, the name of a file
 * that an interpreter runs, without its folder, a part of that. `python3 game.py` is found as `python3`, `game.py` and `game`.
 */
export function matchName<Process extends Named>(
  pattern: string,
  processes: readonly Process[],
): Process[] {
  const wanted = pattern.toLowerCase();
  const fits: readonly ((process: Process) => boolean)[] = [
    (process) => programNames(process).includes(wanted),
    (process) => programNames(process).some((name) => name.includes(wanted)),
    (process) => fileNames(process).includes(wanted),
    (process) => fileNames(process).some((name) => name.includes(wanted)),
  ];
  for (const fit of fits) {
    const found = processes.filter(fit);
    if (found.length > 0) return found;
  }
  return [];
}

/**
 * The processes whose program has this name, without regard to case. Without one, those whose script has it and that
 * have started nothing: a script that starts the program may have its name, too.
 */
export function matchWholeName<Process extends Named & Kin>(
  name: string,
  processes: readonly Process[],
): Process[] {
  const wanted = name.toLowerCase();
  const programs = processes.filter((process) => programNames(process).includes(wanted));
  return programs.length > 0
    ? programs
    : processes.filter(
        (process) =>
          fileNames(process).includes(wanted) &&
          !processes.some(({ parent }) => parent === process.pid),
      );
}

/** With and without the ending of a Windows program, which Wine and Proton run. */
function programNames({ name, words: [program = ''] }: Named): string[] {
  const names = [name, fileName(program)].map((one) => one.toLowerCase());
  return [...names, ...names.map((one) => one.replace(/\.exe$/, ''))].filter(Boolean);
}

/** Programs that run others: their first argument is the one that people know. */
const INTERPRETER =
  /^(?:sh|bash|dash|zsh|ksh|fish|python[\d.]*|pypy[\d.]*|node|deno|bun|ruby|perl|php|lua[\d.]*|luajit|java|mono|dotnet|love|godot.*|electron|wine.*)$/i;

/** The name of the script that an interpreter runs, in a list. A command of a shell (`sh -c`) has spaces and is no name. */
function fileNames({ name, words: [program = '', ...rest] }: Named): string[] {
  if (!INTERPRETER.test(fileName(program)) && !INTERPRETER.test(name)) return [];
  const isOption = (word: string): boolean => word.startsWith('-');
  const found =
    rest.find((word, at) => !isOption(word) && !(rest[at - 1] ?? '').startsWith('--')) ??
    rest.find((word) => !isOption(word));
  if (found === undefined || /\s/.test(found)) return [];
  return [fileName(found).toLowerCase()].filter(Boolean);
}

/** The last part of a path of any system. */
function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? '';
}
