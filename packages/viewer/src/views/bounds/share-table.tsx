// A small table of shares. Each row has a name, values and a share with a bar.
import type { ComponentChildren } from 'preact';
import { Share } from '../../controls/share.tsx';
import './bounds.css';

type ShareRow = {
  readonly name: string;
  readonly values: readonly ComponentChildren[];
  /** From 0 to 1. Null if it is unknown. */
  readonly share: number | null;
};

type Props = {
  readonly caption: string;
  /** The heads of all columns: the name, the values, the share. */
  readonly heads: readonly string[];
  readonly rows: readonly ShareRow[];
};

export function ShareTable({ caption, heads, rows }: Props) {
  return (
    <table class="share-table">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, values, share }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {values.map((value, index) => (
              <td key={index}>{value}</td>
            ))}
            <td>{share === null ? '–' : share === 0 ? '0 %' : <Share value={share} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
