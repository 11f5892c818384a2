// Checks options that a sentence names without their command: "with `--json`".
import { isGroup } from '../../packages/cli/src/command-line/define-command.ts';
import { loadAllCommands } from '../../packages/cli/src/commands.ts';
import { hasOption, readAll } from './check-command.ts';

/** The sources of our other programs that read options. */
const SOURCES =
  '{packages/platform/src/{main,commands/*,commands/admin/*,commands/backup/*},packages/web/src/main,release/release,mutation/run,scripts/test,site/build}.ts';

/** Options of other programs, and code that looks like one, and whose they are. */
const OTHER_OPTIONS: Readonly<Record<string, string>> = {
  '--emit-symbol-map': 'Emscripten',
  '--from': 'install.sh',
  '--perf-basic-prof': 'Node and Chromium',
  '--prefix': 'install.sh',
  '-Prefix': 'install.ps1',
  '-ffast-math': 'compilers',
  '-fno-omit-frame-pointer': 'compilers',
  '-pthread': 'compilers',
  '-p': 'none: the end of an ETag',
};

/** Whether code in a sentence is an option, with or without a value. */
export function isOption(text: string): boolean {
  return /^-{1,2}[a-zA-Z][\w-]*(?: |$)/.test(text);
}

/** Returns a sentence if no program of the documents has the option. */
export async function findOptionFault(text: string): Promise<string | null> {
  const [name = ''] = text.split(' ');
  const specs = (await loadAllCommands()).flatMap((spec) =>
    isGroup(spec) ? spec.commands : [spec],
  );
  const flags = specs.flatMap(({ options = [] }) =>
    options.flatMap((one) => one.flags.split(/,? /)),
  );
  if (name === '--json' || flags.includes(name) || Object.hasOwn(OTHER_OPTIONS, name)) return null;
  return hasOption(name, readAll(SOURCES)) ? null : `no program has the option ${name}`;
}
