// Tables of the dashboard. On narrow screens the style sheet shows each row as a card.
import { type Html, html, type Shown } from '../../html/html.ts';

/** A column's name. A `hidden` name is for screen readers only. */
type Column = string | { readonly hidden: string };

/** The cells of a row, one per column. The first is the row's header. */
export type Row = readonly [Shown, ...Shown[]];

/** A table. Its roles are explicit, because browsers drop the implicit roles of tables that are displayed as blocks. */
export function table(label: string, columns: readonly Column[], rows: readonly Row[]): Html {
  const heads = columns.map((column) =>
    typeof column === 'string'
      ? html`<th scope="col" role="columnheader">${column}</th>`
      : html`<th scope="col" role="columnheader"><span class="visually-hidden">${column.hidden}</span></th>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="table" role="table"><thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => tableRow(columns, row))}</tbody></table></div>`;
}

function tableRow(columns: readonly Column[], [name, ...cells]: Row): Html {
  return html`<tr role="row"><th scope="row" role="rowheader">${name}</th>${cells.map(
    (cell, index) => {
      const column = columns[index + 1];
      return html`<td role="cell"${typeof column === 'string' && html` data-column="${column}"`}>${cell}</td>`;
    },
  )}</tr>
`;
}
