// All commands with name and key, for the palette, the keyboard and the list of shortcuts.
import { signal } from '@preact/signals';
import { pickFile } from '../../controls/pick-file.ts';
import {
  hidePattern,
  keepPattern,
  mergePattern,
  type StackMode,
  search,
  selection,
  stackMode,
  VIEW_NAMES,
  VIEWS,
  type View,
  view,
} from '../../state/address.ts';
import { nextTheme } from '../../state/theme.ts';
import { exportTrace } from '../../traces/export-trace.ts';
import { openFile, openOther } from '../../traces/open-file.ts';
import { has, mainTrace } from '../../traces/open-traces.ts';
import { canTakeNotes } from '../../traces/trace-notes.ts';
import { selectHitch } from '../../views/moment/hitches.ts';
import { focusSearch } from '../../views/stacks/focus-search.ts';
import { showMomentHere } from '../../views/timeline/frame-at-cursor.ts';
import { cursor } from '../../views/timeline/timeline-state.ts';
import { writeNote } from '../../views/timeline/write-note.ts';
import { showAbout } from '../open/about-dialog.tsx';

export type Command = {
  readonly name: string;
  /** One key, as in `KeyboardEvent.key`. Empty if there is none. */
  readonly key: string;
  readonly group: string;
  readonly run: () => void;
  /** Whether the command can run now. */
  readonly ready: () => boolean;
};

export const paletteOpen = signal(false);
export const shortcutsOpen = signal(false);

export function showPalette(): void {
  paletteOpen.value = true;
}

const always = (): boolean => true;
const hasTrace = (): boolean => mainTrace.value !== null;

const MODES: readonly [StackMode, string][] = [
  ['merged', 'left heavy'],
  ['recorded', 'in order'],
  ['sandwich', 'sandwich'],
  ['table', 'table'],
  ['tree', 'tree'],
];

/** The commands of every page. */
const COMMANDS: readonly Command[] = [
  ...VIEWS.map((one, index): Command => {
    return {
      name: `Go to ${VIEW_NAMES[one]}`,
      key: String(index + 1),
      group: 'Views',
      run: () => go(one),
      ready: hasTrace,
    };
  }),
  ...MODES.map(([mode, name]): Command => {
    const run = (): void => {
      stackMode.value = mode;
      go('stacks');
    };
    return { name: `Stacks: ${name}`, key: '', group: 'Views', run, ready: () => has('stacks') };
  }),
  { name: 'Open a trace', key: 'o', group: 'Trace', run: () => pickFile(openFile), ready: always },
  {
    name: 'Compare with a second trace',
    key: 'c',
    group: 'Trace',
    run: compareWith,
    ready: hasTrace,
  },
  {
    name: 'What happened in the selection, or in the frame at the crosshair',
    key: 'm',
    group: 'Find',
    run: showMomentHere,
    ready: () => selection.value !== null || (cursor.value !== null && has('frames')),
  },
  {
    name: 'Add a note',
    key: 'a',
    group: 'Trace',
    run: writeNote,
    ready: () => canTakeNotes.value,
  },
  {
    name: 'Next hitch',
    key: 'n',
    group: 'Find',
    run: () => selectHitch('later'),
    ready: () => has('frames'),
  },
  {
    name: 'Previous hitch',
    key: 'p',
    group: 'Find',
    run: () => selectHitch('earlier'),
    ready: () => has('frames'),
  },
  {
    name: 'Export as .vpt',
    key: 'e',
    group: 'Trace',
    run: () => void exportTrace(),
    ready: hasTrace,
  },
  { name: 'About this trace', key: 'i', group: 'Trace', run: showAbout, ready: hasTrace },
  {
    name: 'Search frames',
    key: '/',
    group: 'Find',
    run: focusSearch,
    ready: () => has('stacks'),
  },
  { name: 'Clear search and patterns', key: '', group: 'Find', run: clearPatterns, ready: always },
  {
    name: 'Clear the selection',
    key: 'Escape',
    group: 'Find',
    run: clearSelection,
    ready: () => selection.value !== null,
  },
  { name: 'Change the theme', key: 't', group: 'Page', run: nextTheme, ready: always },
  { name: 'All commands', key: 'k', group: 'Page', run: showPalette, ready: always },
  {
    name: 'Keyboard shortcuts',
    key: '?',
    group: 'Page',
    run: () => {
      shortcutsOpen.value = true;
    },
    ready: always,
  },
];

const added: Command[] = [];

/** Adds commands that only this kind of page has. */
export function addCommands(more: readonly Command[]): void {
  added.push(...more);
}

/** All commands, in the order of the palette. */
export function allCommands(): readonly Command[] {
  return [...COMMANDS, ...added];
}

function go(one: View): void {
  view.value = one;
}

function compareWith(): void {
  go('compare');
  pickFile(openOther);
}

function clearPatterns(): void {
  search.value = '';
  hidePattern.value = '';
  keepPattern.value = '';
  mergePattern.value = '';
}

function clearSelection(): void {
  selection.value = null;
}
