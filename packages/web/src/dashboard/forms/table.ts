// Tables of the dashboard: rows and columns where there is room, one card a row where there is none.
import { type Html, html, type Shown } from '../../html/html.ts';

/** A column's name; `hidden` is read out and not shown. */
export type Column = string | { readonly hidden: string };

/** A row by its cells, as many as there are columns; the first names the row. */
export type Row = readonly [Shown, ...Shown[]];

/** The table. Its roles are written out, because browsers drop them where rows are shown as cards. */
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
