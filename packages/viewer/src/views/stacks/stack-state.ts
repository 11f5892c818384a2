// The shared state of all views of stacks: the group and the query.

import { computed, effect, signal, untracked } from '@preact/signals';
import { suffixOf } from '@svc/trace';
import { engineFor } from '../../client/engine-client.ts';
import {
  focusName,
  hidePattern,
  keepPattern,
  mergePattern,
  selection,
  stackMode,
} from '../../state/address.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import type { StackQuery } from './derive/query.ts';
import type { StackGroupInfo } from './derive/stack-groups.ts';
import type { StackCalls } from './stack-calls.ts';

const engine = engineFor<StackCalls>();

export const groups = signal<readonly StackGroupInfo[]>([]);
export const chosenGroup = signal<string | null>(null);
export const chosenWeight = signal<'after' | 'before'>('after');

export const group = computed(
  () => groups.value.find((one) => one.id === chosenGroup.value) ?? groups.value[0] ?? null,
);

/** The selection applies only to stacks with times. */
export const stackQuery = computed<StackQuery>(() => ({
  group: group.value?.id ?? null,
  range: group.value?.timed ? selection.value : null,
  hide: hidePattern.value,
  keep: keepPattern.value,
  merge: mergePattern.value,
  weight: chosenWeight.value,
}));

/** Each new value moves the flame graph to the next or previous match of a pattern. */
export type MatchStep = { readonly to: 'next_match' | 'previous_match'; readonly pattern: string };
export const matchStep = signal<MatchStep | null>(null);

/** Increases when views must request their data again, because the trace was replaced or has grown. */
export const stackRevision = signal(0);

effect(() => {
  if (mainTrace.value !== null) untracked(() => void load());
});

async function load(): Promise<void> {
  groups.value = await engine.call('stackGroups', { slot: 'main' });
  stackRevision.value++;
}

/** Shows callers and callees of a function. `category` is a name of FRAME_CATEGORIES. */
export function showSandwich(name: string, category: string): void {
  focusName.value = frameText(name, category);
  stackMode.value = 'sandwich';
}

/** Returns a frame as in a folded file. Functions of the kernel and of the game can have the same name. */
export function frameText(name: string, category: string): string {
  return name + suffixOf(category);
}
