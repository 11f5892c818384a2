// `svc completion SHELL`: prints the completion script of a shell, from the same data as the help texts.
import {
  type CommandSpec,
  defineCommand,
  type GroupSpec,
} from '../../command-line/define-command.ts';
import { usageError } from '../../process/exit-codes.ts';
import { formatBash } from './bash.ts';
import { formatFish } from './fish.ts';
import { readTree } from './tree.ts';
import { formatZsh } from './zsh.ts';

const SHELLS = { bash: formatBash, zsh: formatZsh, fish: formatFish } as const;

/** Defines the command. `commands` loads the whole tree, including this command, when a script is printed. */
export function completionCommand(
  commands: () => Promise<readonly (CommandSpec | GroupSpec)[]>,
): CommandSpec {
  return defineCommand({
    name: 'completion',
    summary: 'Print the completion script for bash, zsh or fish',
    description: [
      'To install it:',
      '',
      '  bash  add to ~/.bashrc:  source <(svc completion bash)',
      '  zsh   add to ~/.zshrc:   source <(svc completion zsh)    (after compinit)',
      '  fish  once:              svc completion fish > ~/.config/fish/completions/svc.fish',
    ].join('\n'),
    arguments: [
      {
        name: '<SHELL>',
        help: 'bash, zsh or fish',
        value: { kind: 'words', words: Object.keys(SHELLS) },
      },
    ],
    async run({ args, io }) {
      const [shell = ''] = args;
      if (shell !== 'bash' && shell !== 'zsh' && shell !== 'fish') {
        throw usageError(
          `There is no completion script for "${shell}".`,
          'Choose bash, zsh or fish.',
        );
      }
      io.stdout.write(SHELLS[shell](readTree(await commands())));
    },
  });
}
