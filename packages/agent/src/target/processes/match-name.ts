// Finds processes by a name that a person types.

/** The names of a process: its own, and the words of its command line. */
export type Named = { readonly name: string; readonly words: readonly string[] };

/**
 * The processes that the name fits best, in their order. These are the first of the following that fit at least one
 * process, each without regard to case: the name of the process or its program, a part of these, the name of a file
 * in its command line without its folder, a part of that. `python3 game.py` is found as `python3`, `game.py` and `game`.
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

/** The processes whose program, or a script in the command line, has this name, without regard to case. Programs come first. */
export function matchWholeName<Process extends Named>(
  name: string,
  processes: readonly Process[],
): Process[] {
  const wanted = name.toLowerCase();
  const programs = processes.filter((process) => programNames(process).includes(wanted));
  return programs.length > 0
    ? programs
    : processes.filter((process) => fileNames(process).includes(wanted));
}

/** With and without the ending of a Windows program, which Wine and Proton run. */
function programNames({ name, words: [program = ''] }: Named): string[] {
  const names = [name, fileName(program)].map((one) => one.toLowerCase());
  return [...names, ...names.map((one) => one.replace(/\.exe$/, ''))].filter(Boolean);
}

function fileNames({ words }: Named): string[] {
  return words
    .slice(1)
    .filter((word) => !word.startsWith('-'))
    .map((word) => fileName(word).toLowerCase())
    .filter(Boolean);
}

/** The last part of a path of any system. */
function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? '';
}
