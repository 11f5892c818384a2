// The command palette: filters commands by typed words, and runs the chosen one.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Dialog } from '../../controls/dialog.tsx';
import { allCommands, type Command, paletteOpen } from './commands.ts';
import './commands.css';

export function Palette() {
  const open = paletteOpen.value;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (open) box.current?.querySelector('input')?.focus();
  }, [open]);
  const close = (): void => {
    paletteOpen.value = false;
  };
  // The dialog closes before the command runs, because nothing outside of an open dialog can take the focus.
  const run = (command: Command): void => {
    box.current?.closest('dialog')?.close();
    close();
    command.run();
  };
  return (
    <Dialog open={open} title="Commands" close={close}>
      <div ref={box} class="palette">
        <Choice run={run} />
      </div>
    </Dialog>
  );
}

function Choice({ run }: { readonly run: (command: Command) => void }) {
  const typed = useSignal('');
  const at = useSignal(0);
  const found = matching(typed.value);
  const chosen = Math.min(at.value, found.length - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const command = found[chosen];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      at.value = (chosen + step + found.length) % found.length;
      document.getElementById(`command-${at.value}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (command !== undefined) run(command);
    }
  };
  return (
    <>
      <input
        class="palette-input"
        type="text"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[chosen] === undefined ? undefined : `command-${chosen}`}
        placeholder="Type a command"
        autocomplete="off"
        spellcheck={false}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <Matches found={found} chosen={chosen} run={run} />
      {found.length === 0 && <p class="hint">No command matches.</p>}
    </>
  );
}

type MatchesProps = {
  readonly found: readonly Command[];
  /** The index of the command that Enter runs. */
  readonly chosen: number;
  readonly run: (command: Command) => void;
};

function Matches({ found, chosen, run }: MatchesProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the list of a combobox
    <ul id="palette-list" class="palette-list" role="listbox" aria-label="Commands">
      {found.map((command, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
        <li
          key={command.name}
          id={`command-${index}`}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: an option of a combobox
          role="option"
          aria-selected={index === chosen}
          onClick={() => run(command)}
        >
          <span>{command.name}</span>
          {command.key !== '' && (
            <kbd>{command.key.length === 1 ? command.key.toUpperCase() : command.key}</kbd>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Returns the commands that can run now and contain all words of a text. */
function matching(text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return allCommands().filter((command) => {
    const name = command.name.toLowerCase();
    return command.ready() && words.every((word) => name.includes(word));
  });
}
