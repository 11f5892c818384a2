import assert from 'node:assert/strict';
import { test } from 'node:test';
import { infoWith } from '../../../test/make-info.ts';
import { page, settle } from '../../../test/stand-in-page.ts';
import * as address from '../../state/address.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import type { StackGroupInfo } from './derive/stack-groups.ts';
import {
  chosenGroup,
  chosenWeight,
  frameText,
  group,
  groups,
  showSandwich,
  stackQuery,
  stackRevision,
} from './stack-state.ts';

const groupOf = (id: string, timed: boolean): StackGroupInfo => ({
  id,
  source: 'native',
  unit: 'ms',
  samples: 1,
  nodes: 1,
  leftOutSamples: 0,
  twoWeights: false,
  timed,
});

test('groups are requested when a trace opens or grows, and the first is used until one is chosen', async () => {
  const before = stackRevision.value;
  const shown = (): string | undefined => group.value?.id;
  assert.equal(shown(), undefined);
  page.answers.stackGroups = () => [groupOf('a', true), groupOf('b', false)];
  mainTrace.value = infoWith();
  await settle();
  assert.deepEqual([groups.value.length, shown()], [2, 'a']);
  assert.equal(stackRevision.value, before + 1);
  mainTrace.value = infoWith({ revision: 2 });
  await settle();
  assert.equal(stackRevision.value, before + 2);
  chosenGroup.value = 'b';
  assert.equal(shown(), 'b');
  chosenGroup.value = 'gone';
  assert.equal(shown(), 'a');
});

test('the query contains what the page shows, and the selection only if stacks have times', () => {
  groups.value = [groupOf('a', true), groupOf('b', false)];
  chosenGroup.value = null;
  address.selection.value = { from: 1, to: 2 };
  address.hidePattern.value = 'hide';
  address.keepPattern.value = 'keep';
  address.mergePattern.value = 'merge';
  chosenWeight.value = 'before';
  const query = { hide: 'hide', keep: 'keep', merge: 'merge', weight: 'before' };
  assert.deepEqual(stackQuery.value, { ...query, group: 'a', range: { from: 1, to: 2 } });
  chosenGroup.value = 'b';
  assert.deepEqual(stackQuery.value, { ...query, group: 'b', range: null });
  groups.value = [];
  assert.deepEqual(stackQuery.value, { ...query, group: null, range: null });
});

test('a sandwich shows the function with the given category', () => {
  showSandwich('read', 'kernel');
  assert.deepEqual([address.focusName.value, address.stackMode.value], ['read_[k]', 'sandwich']);
  assert.equal(frameText('read', ''), 'read');
});
