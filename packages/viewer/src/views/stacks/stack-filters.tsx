// The filters of the stacks: search, frames to keep, hide or merge, and which group and weight is shown.
import type { Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { hidePattern, keepPattern, mergePattern, search } from '../../state/address.ts';
import { SEARCH_FIELD, searchFieldIsThere } from './focus-search.ts';
import { chosenGroup, chosenWeight, group, groups, matchStep } from './stack-state.ts';

/** With `comparing`, both weights are shown, so that none can be chosen. */
export function StackFilters({ comparing = false }: { readonly comparing?: boolean }) {
  return (
    <div class="filters">
      <PatternField
        label="Search"
        hint="a regex"
        value={search}
        id={SEARCH_FIELD}
        title="A regular expression. Enter goes to the next match, Shift+Enter to the previous one"
      />
      <PatternField
        label="Only"
        hint="my code"
        value={keepPattern}
        id="keep-frames"
        title="A regular expression. Shows only frames that match. The weight of the others is added to their callers"
      />
      <PatternField
        label="Hide"
        hint="frames"
        value={hidePattern}
        id="hide-frames"
        title="A regular expression. Hides frames that match. Their weight is added to their callers"
      />
      <PatternField
        label="Merge"
        hint="into one"
        value={mergePattern}
        id="merge-frames"
        title="A regular expression. Adjacent frames that match become one frame with their combined weight"
      />
      {groups.value.length > 1 && <GroupChoice />}
      {!comparing && group.value?.twoWeights && <WeightChoice />}
    </div>
  );
}

function GroupChoice() {
  return (
    <label class="field-inline">
      Stacks
      <select
        value={group.value?.id}
        onChange={(event) => {
          chosenGroup.value = event.currentTarget.value;
        }}
      >
        {groups.value.map((one) => (
          <option key={one.id} value={one.id}>
            {one.source}, {one.unit}
          </option>
        ))}
      </select>
    </label>
  );
}

function WeightChoice() {
  return (
    <label class="field-inline">
      Weight
      <select
        value={chosenWeight.value}
        onChange={(event) => {
          chosenWeight.value = event.currentTarget.value === 'before' ? 'before' : 'after';
        }}
      >
        <option value="after">after</option>
        <option value="before">before</option>
      </select>
    </label>
  );
}

type FieldProps = {
  readonly label: string;
  readonly hint: string;
  readonly value: Signal<string>;
  readonly id: string;
  readonly title?: string;
};

function PatternField({ label, hint, value, id, title }: FieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (id === SEARCH_FIELD) searchFieldIsThere(field.current);
  }, [id]);
  return (
    <label class="field-inline" title={title}>
      {label}
      <input
        ref={field}
        id={id}
        type="search"
        placeholder={hint}
        spellcheck={false}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && id === SEARCH_FIELD && value.value !== '') {
            const to = event.shiftKey ? 'previous_match' : 'next_match';
            matchStep.value = { to, pattern: value.value };
          }
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (value.value === '') document.getElementById('view')?.focus();
          else value.value = '';
        }}
      />
    </label>
  );
}
