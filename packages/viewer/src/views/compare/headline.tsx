// The answer of a comparison above its parts. Each line leads to the part that shows it.
import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { FitName } from '../../controls/fit-name.tsx';
import { Pending } from '../../controls/pending.tsx';
import { budgetMs } from '../../state/address.ts';
import { otherTrace, traceId, traceLength } from '../../traces/open-traces.ts';
import { type ComparePart, PARTS } from './compare-parts.ts';
import { comparedRanges } from './compared-ranges.ts';
import type { CompareCalls, CompareHeadline, CostRise } from './derive-headline.ts';

const engine = engineFor<CompareCalls>();

type Show = (part: ComparePart) => void;

export function Headline({ show }: { readonly show: Show }) {
  const of = comparedRanges.value;
  const budget = budgetMs.value;
  const { answer, fault } = useAnswer(
    () => engine.call('compare', { ...of, budgetMs: budget }),
    [traceId.value, traceLength.value, otherTrace.value, budget, of],
  );
  return (
    <section class="changed" aria-label="What changed most">
      {answer === null ? (
        <Pending fault={fault}>Comparing…</Pending>
      ) : (
        <Changed answer={answer} show={show} />
      )}
    </section>
  );
}

function Changed({ answer, show }: { readonly answer: CompareHeadline; readonly show: Show }) {
  const { headline, detail, part, warning, asset, function: costly } = answer;
  return (
    <>
      <h2 class="wrap-anywhere">{headline}</h2>
      <p class="changed-detail">
        <span class="muted">{detail}</span>
        {part !== null && (
          <button type="button" class="button quiet small" onClick={() => show(part)}>
            <Target part={part} />
          </button>
        )}
      </p>
      {warning !== null && <p class="note tone-warn wrap-anywhere">{warning}</p>}
      <ul class="plain">
        {asset !== null && <Rise what="Asset" rise={asset} part="assets" show={show} />}
        {costly !== null && <Rise what="Function" rise={costly} part="stacks" show={show} />}
      </ul>
    </>
  );
}

type RiseProps = {
  readonly what: 'Asset' | 'Function';
  readonly rise: CostRise;
  readonly part: ComparePart;
  readonly show: Show;
};

function Rise({ what, rise: { name, text }, part, show }: RiseProps) {
  return (
    <li>
      <button type="button" class="line-button changed-row" onClick={() => show(part)}>
        <span class="muted">{what}</span>
        <span class="changed-rise">
          <FitName text={name} mono={what === 'Function'} />
          <span>{text}</span>
        </span>
        <span class="changed-target">
          <Target part={part} />
        </span>
      </button>
    </li>
  );
}

/** The part that a button leads to. */
function Target({ part }: { readonly part: ComparePart }) {
  return (
    <>
      {PARTS[part]}
      <span aria-hidden="true"> →</span>
    </>
  );
}
