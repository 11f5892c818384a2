// All commands by name, in the order of the help text. The code of a command is loaded only when the command is used.
import { type CommandSpec, type GroupSpec, isGroup } from './command-line/define-command.ts';

type Spec = CommandSpec | GroupSpec;

const LOADERS: Readonly<Record<string, () => Promise<Spec>>> = {
  dashboard: async () => (await import('./commands/dashboard/dashboard.ts')).dashboardCommand,
  trace: async () => (await import('./commands/trace/trace.ts')).traceGroup,
  record: async () => (await import('./commands/record/record.ts')).recordCommand,
  play: async () => (await import('./commands/play/play.ts')).playCommand,
  mcp: async () => (await import('./commands/mcp/mcp.ts')).mcpCommand,
  init: async () => (await import('./commands/publishing/init.ts')).initCommand,
  check: async () => (await import('./commands/publishing/check.ts')).checkCommand,
  login: async () => (await import('./commands/account/login.ts')).loginCommand,
  logout: async () => (await import('./commands/account/logout.ts')).logoutCommand,
  whoami: async () => (await import('./commands/account/whoami.ts')).whoamiCommand,
  publish: async () => (await import('./commands/publishing/publish.ts')).publishCommand,
  projects: async () => (await import('./commands/publishing/projects.ts')).projectsCommand,
  releases: async () => (await import('./commands/publishing/releases.ts')).releasesCommand,
  promote: async () => (await import('./commands/publishing/promote.ts')).promoteCommand,
  offer: async () => (await import('./commands/publishing/offer.ts')).offerCommand,
  preview: async () => (await import('./commands/preview/preview.ts')).previewGroup,
  rollback: async () => (await import('./commands/publishing/rollback.ts')).rollbackCommand,
  slug: async () => (await import('./commands/publishing/slug.ts')).slugCommand,
  stats: async () => (await import('./commands/publishing/stats.ts')).statsCommand,
  unpublish: async () => (await import('./commands/publishing/unpublish.ts')).unpublishCommand,
  token: async () => (await import('./commands/token/token.ts')).tokenGroup,
  trust: async () => (await import('./commands/trust/trust.ts')).trustGroup,
  probes: async () => (await import('./commands/probes/probes.ts')).probesGroup,
  key: async () => (await import('./commands/key/key.ts')).keyGroup,
  update: async () => (await import('./commands/update/update.ts')).updateCommand,
  completion: async () =>
    (await import('./commands/completion/completion.ts')).completionCommand(loadAllCommands),
};

/** Loads all commands. */
export async function loadAllCommands(): Promise<Spec[]> {
  return await Promise.all(Object.values(LOADERS).map((load) => load()));
}

/** Loads the command that a command line names, or asks help for. Loads all commands if it names none that exists. */
export async function loadCommands(argv: readonly string[]): Promise<readonly Spec[]> {
  const [first = '', second = ''] = argv.filter((word) => !word.startsWith('-'));
  const name = first === 'help' ? second : first;
  if (name === '') return await loadSummaries();
  const load = Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined;
  return load === undefined ? await loadAllCommands() : [await load()];
}

/** The names and summaries of all commands, which the bundler puts in. */
declare const COMMAND_SUMMARIES: readonly Summary[] | undefined;

export type Summary = Pick<Spec, 'name' | 'summary'>;

/** What the list of commands needs. In a package, no code of commands is loaded for it. */
async function loadSummaries(): Promise<readonly Spec[]> {
  if (typeof COMMAND_SUMMARIES === 'undefined') return await loadAllCommands();
  return COMMAND_SUMMARIES.map((one) => ({ ...one, commands: [] }));
}

/** The words of each command: `['trace', 'info']`. */
export function pathsOf(specs: readonly Spec[]): string[][] {
  return specs.flatMap((spec) =>
    isGroup(spec) ? spec.commands.map((child) => [spec.name, child.name]) : [[spec.name]],
  );
}
