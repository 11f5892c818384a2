// What the page shows, kept in the fragment of its address. A fragment is not sent to any server.
import { effect, signal } from '@preact/signals';
import type { TimeRange } from '../draw/time-axis.ts';

export const VIEWS = [
  'overview',
  'timeline',
  'frames',
  'stacks',
  'assets',
  'memory',
  'compare',
  'analysis',
] as const;
export type View = (typeof VIEWS)[number];
export const VIEW_NAMES: Readonly<Record<View, string>> = {
  overview: 'Overview',
  timeline: 'Timeline',
  frames: 'Frames',
  stacks: 'Stacks',
  assets: 'Assets',
  memory: 'Memory',
  compare: 'Compare',
  analysis: 'Analysis',
};

export const STACK_MODES = ['merged', 'recorded', 'sandwich', 'table', 'tree'] as const;
export type StackMode = (typeof STACK_MODES)[number];

export const view = signal<View>('overview');
/** The selected time range of the views by time. Overview, Memory and Analysis are of the whole trace. Null is the whole trace. */
export const selection = signal<TimeRange | null>(null);
/** The time range whose moment is shown in detail. Null if none is. */
export const momentRange = signal<TimeRange | null>(null);
/** The compared range of the other trace: its own range, the same times as the selection, or null for all. */
export const otherRange = signal<TimeRange | 'same' | null>(null);
export const stackMode = signal<StackMode>('merged');
/** A regular expression that frames are searched for. */
export const search = signal('');
/** Regular expressions for frames that are hidden, or that alone are kept. */
export const hidePattern = signal('');
export const keepPattern = signal('');
/** A regular expression. Adjacent frames that match are shown as one. */
export const mergePattern = signal('');
/** The function that the sandwich view shows. */
export const focusName = signal('');
/** The longest frame budget. The agent has the same limit. */
export const LONGEST_BUDGET_MS = 60_000;
/** The frame budget in ms. */
export const budgetMs = signal(1000 / 60);
/** The memory budget in bytes, or 0 for none. */
export const memoryBudget = signal(0);

/** Reads the address, then updates it on every change. */
export function startAddress(): void {
  read(location.hash);
  addEventListener('hashchange', () => read(location.hash));
  effect(() => {
    const fragment = write();
    if (fragment !== location.hash) history.replaceState(null, '', fragment || location.pathname);
  });
}

function write(): string {
  const pairs: [string, string][] = [];
  if (view.value !== 'overview') pairs.push(['view', view.value]);
  if (selection.value !== null) pairs.push(['range', rangeText(selection.value)]);
  if (momentRange.value !== null) pairs.push(['moment', rangeText(momentRange.value)]);
  const other = otherRange.value;
  if (other !== null) pairs.push(['other', other === 'same' ? 'same' : rangeText(other)]);
  if (stackMode.value !== 'merged') pairs.push(['stacks', stackMode.value]);
  if (search.value !== '') pairs.push(['search', search.value]);
  if (hidePattern.value !== '') pairs.push(['hide', hidePattern.value]);
  if (keepPattern.value !== '') pairs.push(['keep', keepPattern.value]);
  if (mergePattern.value !== '') pairs.push(['merge', mergePattern.value]);
  if (focusName.value !== '') pairs.push(['focus', focusName.value]);
  if (isOwnBudget()) pairs.push(['budget', String(budgetMs.value)]);
  if (memoryBudget.value > 0) pairs.push(['memory', String(memoryBudget.value)]);
  return pairs.length === 0 ? '' : `#${new URLSearchParams(pairs)}`;
}

/** The fragment of an address that leads to a moment, and says nothing else about the page. */
export function momentFragment(range: TimeRange): string {
  const pairs: [string, string][] = [['moment', rangeText(range)]];
  if (isOwnBudget()) pairs.push(['budget', String(budgetMs.value)]);
  return `#${new URLSearchParams(pairs)}`;
}

function isOwnBudget(): boolean {
  return Math.abs(budgetMs.value - 1000 / 60) > 1e-6;
}

function rangeText({ from, to }: TimeRange): string {
  const round = (ms: number): number => Math.round(ms * 1000) / 1000;
  return `${round(from)}-${round(to)}`;
}

function read(fragment: string): void {
  const pairs = new URLSearchParams(fragment.replace(/^#/, ''));
  view.value = VIEWS.find((one) => one === pairs.get('view')) ?? 'overview';
  selection.value = parseRange(pairs.get('range'));
  momentRange.value = parseRange(pairs.get('moment'));
  const other = pairs.get('other');
  otherRange.value = other === 'same' ? 'same' : parseRange(other);
  stackMode.value = STACK_MODES.find((one) => one === pairs.get('stacks')) ?? 'merged';
  search.value = pairs.get('search') ?? '';
  hidePattern.value = pairs.get('hide') ?? '';
  keepPattern.value = pairs.get('keep') ?? '';
  mergePattern.value = pairs.get('merge') ?? '';
  focusName.value = pairs.get('focus') ?? '';
  budgetMs.value = Math.min(LONGEST_BUDGET_MS, positive(pairs.get('budget')) ?? 1000 / 60);
  memoryBudget.value = positive(pairs.get('memory')) ?? 0;
}

function positive(text: string | null): number | null {
  const value = Number(text);
  return text !== null && Number.isFinite(value) && value > 0 ? value : null;
}

/** Parses `from-to` in ms. Returns null for any other text. */
export function parseRange(text: string | null): TimeRange | null {
  const found = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? '');
  const from = Number(found?.[1]);
  const to = Number(found?.[2]);
  return found !== null && to > from ? { from, to } : null;
}
