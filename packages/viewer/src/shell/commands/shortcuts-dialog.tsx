// The dialog that lists all keyboard shortcuts.
import { Dialog } from '../../controls/dialog.tsx';
import { allCommands, shortcutsOpen } from './commands.ts';

const ON_CHARTS: readonly [string, string][] = [
  ['← → ', 'Timeline: move the crosshair. Flame graph: next or previous box'],
  ['↑ ↓', 'Timeline: zoom. Flame graph: caller or callee'],
  ['+ −', 'Zoom'],
  ['0', 'Show all'],
  ['Shift ← →', 'Timeline: select'],
  ['Enter', 'Zoom to the selection or the box'],
  ['Shift Enter', 'Flame graph: callers and callees'],
  ['Escape', 'Remove the crosshair, clear the selection, or close'],
  ['Enter in Search', 'Next match. With Shift: previous match'],
];

export function Shortcuts() {
  const close = (): void => {
    shortcutsOpen.value = false;
  };
  const groups = Map.groupBy(
    allCommands().filter((command) => command.key !== ''),
    (command) => command.group,
  );
  return (
    <Dialog open={shortcutsOpen.value} title="Keyboard shortcuts" close={close} wide>
      <div class="shortcuts">
        {[...groups].map(([group, commands]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {commands.map((command) => (
                <div key={command.name}>
                  <dt>{command.name}</dt>
                  <dd>
                    <kbd>{command.key.length === 1 ? command.key.toUpperCase() : command.key}</kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section>
          <h3>On a chart</h3>
          <dl>
            {ON_CHARTS.map(([keys, what]) => (
              <div key={keys}>
                <dt>{what}</dt>
                <dd>
                  <kbd>{keys}</kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </Dialog>
  );
}
