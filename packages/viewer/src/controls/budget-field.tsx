// The field for the frame budget: a list of common budgets, and a number.
import { budgetMs, LONGEST_BUDGET_MS } from '../state/address.ts';

const BUDGETS: readonly [string, number][] = [
  ['240 fps, 4.17 ms', 1000 / 240],
  ['144 fps, 6.94 ms', 1000 / 144],
  ['120 fps, 8.33 ms', 1000 / 120],
  ['90 fps, 11.1 ms', 1000 / 90],
  ['60 fps, 16.7 ms', 1000 / 60],
  ['30 fps, 33.3 ms', 1000 / 30],
];

export function BudgetField() {
  const known = BUDGETS.find(([, ms]) => Math.abs(ms - budgetMs.value) < 1e-6);
  return (
    <>
      <label class="field-inline">
        Frame budget
        <select
          value={known === undefined ? 'own' : String(known[1])}
          onChange={(event) => {
            const ms = Number(event.currentTarget.value);
            if (ms > 0) budgetMs.value = ms;
          }}
        >
          {BUDGETS.map(([name, ms]) => (
            <option key={ms} value={String(ms)}>
              {name}
            </option>
          ))}
          <option value="own">own</option>
        </select>
      </label>
      <label class="field-inline">
        own
        <input
          type="number"
          aria-label="Own frame budget, in ms"
          min="0.1"
          max={LONGEST_BUDGET_MS}
          step="any"
          value={Number(budgetMs.value.toFixed(2))}
          onChange={(event) => {
            const ms = Number(event.currentTarget.value);
            if (ms > 0) budgetMs.value = Math.min(LONGEST_BUDGET_MS, ms);
          }}
        />
        ms
      </label>
    </>
  );
}
