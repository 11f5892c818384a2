// What the page shows, as its address: in the fragment, where no server sees it, and beside no token.
import { effect, signal } from '@preact/signals';
import type { TimeRange } from '../draw/time-axis.ts';

export const VIEWS = ['timeline', 'frames', 'stacks', 'assets', 'compare', 'analysis'] as const;
export type View = (typeof VIEWS)[number];
export const VIEW_NAMES: Readonly<Record<View, string>> = {
  timeline: 'Timeline',
  frames: 'Frames',
  stacks: 'Stacks',
  assets: 'Assets',
  compare: 'Compare',
  analysis: 'Analysis',
};

export const STACK_MODES = ['merged', 'recorded', 'sandwich', 'table', 'tree'] as const;
export type StackMode = (typeof STACK_MODES)[number];

export const view = signal<View>('timeline');
/** The stretch of time that every view is about; null is all. */
export const selection = signal<TimeRange | null>(null);
/** Of the trace that is compared with: a stretch of its own, the same times as the selection, or null for all. */
export const otherStretch = signal<TimeRange | 'same' | null>(null);
export const stackMode = signal<StackMode>('merged');
/** A regular expression that frames are searched by. */
export const search = signal('');
/** Frames whose name matches are left out, or alone kept. */
export const hidePattern = signal('');
export const keepPattern = signal('');
/** Runs of frames whose name matches are shown as one. */
export const mergePattern = signal('');
/** The function that the sandwich is about. */
export const focusName = signal('');
/** A frame that may take longer than this is none; the agent takes no more either. */
export const LONGEST_BUDGET_MS = 60_000;
/** The frame budget in ms. */
export const budgetMs = signal(1000 / 60);
/** The memory budget in bytes; 0 is none. */
export const memoryBudget = signal(0);

/** Reads the address, then keeps it true. */
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
  if (view.value !== 'timeline') pairs.push(['view', view.value]);
  if (selection.value !== null) pairs.push(['range', rangeText(selection.value)]);
  const other = otherStretch.value;
  if (other !== null) pairs.push(['other', other === 'same' ? 'same' : rangeText(other)]);
  if (stackMode.value !== 'merged') pairs.push(['stacks', stackMode.value]);
  if (search.value !== '') pairs.push(['search', search.value]);
  if (hidePattern.value !== '') pairs.push(['hide', hidePattern.value]);
  if (keepPattern.value !== '') pairs.push(['keep', keepPattern.value]);
  if (mergePattern.value !== '') pairs.push(['merge', mergePattern.value]);
  if (focusName.value !== '') pairs.push(['focus', focusName.value]);
  if (Math.abs(budgetMs.value - 1000 / 60) > 1e-6) pairs.push(['budget', String(budgetMs.value)]);
  if (memoryBudget.value > 0) pairs.push(['memory', String(memoryBudget.value)]);
  return pairs.length === 0 ? '' : `#${new URLSearchParams(pairs)}`;
}

function rangeText({ from, to }: TimeRange): string {
  const round = (ms: number): number => Math.round(ms * 1000) / 1000;
  return `${round(from)}-${round(to)}`;
}

function read(fragment: string): void {
  const pairs = new URLSearchParams(fragment.replace(/^#/, ''));
  view.value = VIEWS.find((one) => one === pairs.get('view')) ?? 'timeline';
  selection.value = parseRange(pairs.get('range'));
  const other = pairs.get('other');
  otherStretch.value = other === 'same' ? 'same' : parseRange(other);
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

/** `from-to` in ms; null for anything else. */
export function parseRange(text: string | null): TimeRange | null {
  const found = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? '');
  const from = Number(found?.[1]);
  const to = Number(found?.[2]);
  return found !== null && to > from ? { from, to } : null;
}
