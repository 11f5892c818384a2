// A titled part of the overview, with a button that leads to the view with all of it.
import type { ComponentChildren } from 'preact';
import { goTo } from '../../controls/go-to.ts';
import { VIEW_NAMES, type View } from '../../state/address.ts';

type Props = {
  readonly title: string;
  /** A short text beside the title. */
  readonly note?: string;
  /** The view that has all of it. */
  readonly leadsTo?: View;
  readonly children: ComponentChildren;
};

export function Panel({ title, note, leadsTo, children }: Props) {
  return (
    <section class="glance-panel" aria-label={title}>
      <header>
        <h3>{title}</h3>
        {note !== undefined && <p class="hint">{note}</p>}
        <span class="spring" />
        {leadsTo !== undefined && (
          <button type="button" class="button quiet small" onClick={() => goTo(leadsTo)}>
            {VIEW_NAMES[leadsTo]}
            <span aria-hidden="true"> →</span>
          </button>
        )}
      </header>
      {children}
    </section>
  );
}

type RowProps = {
  /** What a click does, for the title. */
  readonly title: string;
  readonly choose: () => void;
  readonly children: ComponentChildren;
};

/** A line of a panel that leads to its evidence. */
export function Row({ title, choose, children }: RowProps) {
  return (
    <li>
      <button type="button" class="line-button glance-row" title={title} onClick={choose}>
        {children}
      </button>
    </li>
  );
}
