// The bar at the top: the open trace, its properties, and the main actions.
import { useEffect } from 'preact/hooks';
import { capturing, status } from '../client/session.ts';
import { pickFile } from '../controls/pick-file.ts';
import { nextTheme, themeChoice } from '../state/theme.ts';
import { exportTrace } from '../traces/export-trace.ts';
import { openFile } from '../traces/open-file.ts';
import { mainTrace } from '../traces/open-traces.ts';
import { hasUnexportedNotes } from '../traces/trace-notes.ts';
import { showPalette } from './commands/commands.ts';
import { showAbout } from './open/about-dialog.tsx';
import type { PageParts } from './page-parts.ts';

export function TopBar({ Actions }: Pick<PageParts, 'Actions'>) {
  const name = title();
  useEffect(() => {
    document.title = `${name} · svc`;
  }, [name]);
  return (
    <header class="bar">
      <span class="brand" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <h1 class="bar-title">
        <span class="visually-hidden">svc: </span>
        {name}
      </h1>
      <TraceChips />
      <span class="spring" />
      {Actions !== undefined && <Actions />}
      <span class="bar-group">
        <button
          type="button"
          class="button"
          onClick={() => pickFile(openFile)}
          title="Open a trace or a profile (O)"
        >
          Open…
        </button>
        <ExportButton />
        <ThemeButton />
        <button
          type="button"
          class="button quiet"
          onClick={showPalette}
          title={`All commands (${COMMAND_KEYS})`}
        >
          <kbd class="keys">{COMMAND_KEYS}</kbd>
          <span class="no-keys" aria-hidden="true">
            ⋯
          </span>
          <span class="visually-hidden">All commands</span>
        </button>
      </span>
    </header>
  );
}

function ExportButton() {
  const hasNews = hasUnexportedNotes.value;
  const notes = hasNews ? ', which has notes that no file has' : '';
  return (
    <button
      type="button"
      class={hasNews ? 'button has-news' : 'button'}
      disabled={mainTrace.value === null}
      onClick={exportTrace}
      title={`Save the trace as .vpt${notes} (E)`}
    >
      Export
      {hasNews && <span class="visually-hidden"> notes that no file has</span>}
    </button>
  );
}

/** The shortcut's name on this platform. */
const COMMAND_KEYS = navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K';

function title(): string {
  const trace = mainTrace.value;
  if (trace !== null) return trace.name;
  const target = status.value?.target;
  return target ? `${target.name} (${target.pid})` : 'No trace yet';
}

function TraceChips() {
  const trace = mainTrace.value;
  if (trace === null) return null;
  return (
    <span class="chips">
      {trace.sources.map((source) => (
        <span key={source} class={`chip source-${source}`}>
          {source}
        </span>
      ))}
      {capturing.value && trace.origin === 'agent' ? (
        <span class="chip tone-good live">Capturing</span>
      ) : (
        trace.partial && (
          <button type="button" class="chip tone-warn" onClick={showAbout}>
            Partial
          </button>
        )
      )}
      {(trace.truncated !== null || trace.leftOutSamples > 0) && (
        <button type="button" class="chip tone-warn" onClick={showAbout}>
          Truncated
        </button>
      )}
      {trace.tornBytes > 0 && (
        <button type="button" class="chip tone-warn" onClick={showAbout}>
          Torn end
        </button>
      )}
      {trace.skippedLines > 0 && (
        <button type="button" class="chip tone-warn" onClick={showAbout}>
          {trace.skippedLines === 1 ? '1 line skipped' : `${trace.skippedLines} lines skipped`}
        </button>
      )}
      <button type="button" class="chip" onClick={showAbout} title="Details of this trace (I)">
        About
      </button>
    </span>
  );
}

const THEME_SIGNS = { system: '◐', light: '☀', dark: '☾' } as const;

function ThemeButton() {
  const choice = themeChoice.value;
  return (
    <button type="button" class="button quiet" onClick={nextTheme} title={`Theme: ${choice} (T)`}>
      <span aria-hidden="true">{THEME_SIGNS[choice]}</span>
      <span class="visually-hidden">Theme: {choice}. Change.</span>
    </button>
  );
}
