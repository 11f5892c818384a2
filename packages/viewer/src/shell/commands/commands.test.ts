import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { infoWith } from '../../../test/make-info.ts';
import { statusWith } from '../../../test/make-status.ts';
import { agent } from '../../../test/stand-in-agent.ts';
import { page, settle } from '../../../test/stand-in-page.ts';
import { calls } from '../../../test/without-components.ts';
import { connection, status } from '../../client/session.ts';
import * as address from '../../state/address.ts';
import { theme } from '../../state/theme.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { asksToEnd, asksToStart } from '../session/session-actions.ts';

class StandInField {
  readonly tagName: string;
  readonly isContentEditable: boolean;
  constructor(tagName: string, isContentEditable = false) {
    this.tagName = tagName;
    this.isContentEditable = isContentEditable;
  }
}
let isDialogOpen = false;
const picked: string[] = [];
Object.assign(globalThis, { HTMLElement: StandInField });
Object.assign(document, {
  querySelector: () => (isDialogOpen ? {} : null),
  getElementById: () => null,
  body: { append: () => undefined },
  createElement: (name: string) => ({
    addEventListener: () => undefined,
    click: () => picked.push(name),
  }),
});

// Imported after the components are replaced.
const { addCommands, allCommands, paletteOpen, shortcutsOpen } = await import('./commands.ts');
const { SESSION_COMMANDS } = await import('./session-commands.ts');
const { listenForShortcuts } = await import('./shortcuts.ts');
listenForShortcuts();
const COMMON = allCommands();
addCommands(SESSION_COMMANDS);
const COMMANDS = allCommands();

beforeEach(() => {
  page.answers = {
    timeline: () => ({ duration: 0, tracks: [], gaps: [] }),
    stackGroups: () => [],
    vpt: () => new Promise(() => undefined),
  };
  mainTrace.value = null;
  status.value = null;
  connection.value = 'live';
  address.view.value = 'timeline';
  address.selection.value = null;
  paletteOpen.value = false;
  shortcutsOpen.value = false;
  asksToStart.value = false;
  asksToEnd.value = false;
  isDialogOpen = false;
  picked.length = 0;
  calls.length = 0;
});

/** Presses a key. Returns true if the page prevented the default. */
function press(
  key: string,
  { target = null, ...fields }: { target?: object | null; [field: string]: unknown } = {},
): boolean {
  const event = new Event('keydown', { cancelable: true });
  Object.assign(event, { key, ctrlKey: false, metaKey: false, altKey: false }, fields);
  Object.defineProperty(event, 'target', { value: target });
  return !page.dispatch(event);
}

/** The commands that can run now. */
const ready = (): string[] => COMMANDS.filter((command) => command.ready()).map(({ name }) => name);
const ALWAYS = [
  'Open a trace',
  'Clear search and patterns',
  'Change the theme',
  'All commands',
  'Keyboard shortcuts',
];
const VIEWS = [
  'Overview',
  'Timeline',
  'Frames',
  'Stacks',
  'Assets',
  'Memory',
  'Compare',
  'Analysis',
];
const WITH_TRACE = [
  ...VIEWS.map((name) => `Go to ${name}`),
  'Compare with a second trace',
  'Add a note',
  'Export as .vpt',
  'About this trace',
];

test('only commands that can run now are ready', () => {
  const offered = (...more: string[]): void =>
    assert.deepEqual(ready().sort(), [...ALWAYS, ...more].sort());
  offered();
  status.value = statusWith({ target: null });
  offered('End the session');
  status.value = statusWith();
  offered('End the session', 'Start the capture');
  status.value = statusWith({ state: 'capturing' });
  offered('End the session');
  connection.value = 'ended';
  status.value = statusWith();
  offered();
  status.value = null;
  mainTrace.value = infoWith({ counts: { mark: 1 } });
  offered(...WITH_TRACE);
  mainTrace.value = infoWith({ counts: { frames: 1 } });
  offered(...WITH_TRACE, 'Next hitch', 'Previous hitch');
  mainTrace.value = infoWith({ counts: { stacks: 1 } });
  const modes = ['left heavy', 'in order', 'sandwich', 'table', 'tree'];
  offered(...WITH_TRACE, 'Search frames', ...modes.map((mode) => `Stacks: ${mode}`));
  mainTrace.value = null;
  address.selection.value = { from: 1, to: 2 };
  offered(
    'What happened in the selection, or in the frame at the crosshair',
    'Clear the selection',
  );
});

test('a page without an agent has no command of the session', () => {
  const session = COMMANDS.filter((command) => !COMMON.includes(command));
  assert.deepEqual(
    session.map(({ name }) => name),
    ['Start the capture', 'End the session'],
  );
  assert.ok(COMMON.every(({ group }) => group !== 'Session'));
});

test('every key has one command, and every command one name', () => {
  const keys = COMMANDS.map(({ key }) => key).filter((key) => key !== '');
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(new Set(COMMANDS.map(({ name }) => name)).size, COMMANDS.length);
});

test('a key runs its command and prevents the browser’s default', async () => {
  mainTrace.value = infoWith();
  for (const [key, view] of [
    ['1', 'overview'],
    ['2', 'timeline'],
    ['3', 'frames'],
    ['4', 'stacks'],
    ['5', 'assets'],
    ['6', 'memory'],
    ['7', 'compare'],
    ['8', 'analysis'],
  ] as const) {
    assert.equal(press(key), true);
    assert.equal(address.view.value, view);
  }
  address.selection.value = { from: 1, to: 2 };
  press('m');
  assert.deepEqual(address.momentRange.value, { from: 1, to: 2 });
  address.momentRange.value = null;
  press('Escape');
  assert.equal(address.selection.value, null);
  press('i');
  assert.equal(calls[0]?.name, 'showAbout');
  press('o');
  assert.deepEqual(picked, ['input']);
  press('c');
  assert.deepEqual([picked.length, address.view.value], [2, 'compare']);
  press('k');
  press('?');
  assert.deepEqual([paletteOpen.value, shortcutsOpen.value], [true, true]);
  const before = theme.value;
  press('t');
  press('t');
  assert.notEqual(theme.value, before);
  await settle();
  page.asked.length = 0;
  press('e');
  assert.equal(page.asked[0]?.name, 'vpt');
});

test('the keys for hitches go to the next and the previous one', async () => {
  page.answers.timeline = () => ({
    duration: 3000,
    gaps: [],
    tracks: [
      {
        kind: 'frames',
        id: 'frames/browser',
        label: 'Frame time',
        source: 'browser',
        t: Float64Array.from([500, 1500, 2500]),
        duration: Float64Array.from([50, 50, 50]),
      },
    ],
  });
  mainTrace.value = infoWith({ name: 'hitches.vpt' });
  await settle();
  const starts = ['n', 'n', 'n', 'p'].map((key) => {
    press(key);
    return address.selection.value?.from;
  });
  assert.deepEqual(starts, [500, 1500, 2500, 1500]);
});

test('the key for Start asks first if a trace would be replaced', async () => {
  agent.requests.length = 0;
  mainTrace.value = infoWith();
  status.value = statusWith();
  assert.equal(press('s'), true);
  await settle();
  assert.deepEqual([asksToStart.value, agent.requests.length], [true, 0]);
  status.value = null;
  assert.equal(press('s'), false);
  assert.equal(asksToEnd.value, false);
});

test('keys are ignored while the user types, in a dialog, and with Ctrl, Alt or Meta', () => {
  mainTrace.value = infoWith();
  for (const tag of ['INPUT', 'TEXTAREA', 'SELECT']) {
    assert.equal(press('2', { target: new StandInField(tag) }), false, tag);
  }
  assert.equal(press('2', { target: new StandInField('DIV', true) }), false);
  for (const held of ['ctrlKey', 'metaKey', 'altKey']) {
    assert.equal(press('2', { [held]: true }), false, held);
  }
  isDialogOpen = true;
  assert.equal(press('2'), false);
  assert.equal(address.view.value, 'timeline');
  isDialogOpen = false;
  assert.equal(press('x'), false);
  assert.equal(press('2', { target: new StandInField('DIV') }), true);
});

test('Ctrl+K and ⌘K open the palette from anywhere', () => {
  for (const how of [{ ctrlKey: true }, { metaKey: true }]) {
    paletteOpen.value = false;
    assert.equal(press('K', { ...how, target: new StandInField('INPUT') }), true);
    assert.equal(paletteOpen.value, true);
  }
});

test('clearing search and patterns clears them all, and nothing else', () => {
  const patterns = [address.search, address.hidePattern, address.keepPattern, address.mergePattern];
  for (const pattern of patterns) pattern.value = 'x';
  address.focusName.value = 'f';
  COMMANDS.find(({ name }) => name === 'Clear search and patterns')?.run();
  assert.deepEqual(
    patterns.map(({ value }) => value),
    ['', '', '', ''],
  );
  assert.equal(address.focusName.value, 'f');
});

test('the command for a mode of the stacks opens the stacks in that mode', () => {
  for (const [name, mode] of [
    ['left heavy', 'merged'],
    ['in order', 'recorded'],
    ['sandwich', 'sandwich'],
    ['table', 'table'],
    ['tree', 'tree'],
  ] as const) {
    address.view.value = 'timeline';
    COMMANDS.find((command) => command.name === `Stacks: ${name}`)?.run();
    assert.deepEqual([address.view.value, address.stackMode.value], ['stacks', mode]);
  }
});
