import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../../../test/stand-in-page.ts';
import { view } from '../../state/address.ts';
import { focusSearch, SEARCH_FIELD, searchFieldIsThere } from './focus-search.ts';

test('focusSearch focuses the field at once or as soon as it is rendered, and only if requested', () => {
  let focused = 0;
  const field = { focus: () => focused++ } as unknown as HTMLElement;
  let shown: HTMLElement | null = null;
  Object.assign(document, { getElementById: (id: string) => (id === SEARCH_FIELD ? shown : null) });
  searchFieldIsThere(field);
  assert.equal(focused, 0);
  focusSearch();
  assert.equal(view.value, 'stacks');
  searchFieldIsThere(field);
  searchFieldIsThere(field);
  assert.equal(focused, 1);
  shown = field;
  view.value = 'frames';
  focusSearch();
  searchFieldIsThere(field);
  assert.deepEqual([focused, view.value], [2, 'frames']);
});
