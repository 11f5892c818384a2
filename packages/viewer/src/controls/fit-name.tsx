// A name that is shortened to the width of its place, in its middle if its end identifies it.
import { tailOf } from '../draw/fit-name.ts';

/** A shorter start is not worth shortening. */
const SHORTEST_START = 5;
/** A longer last part is shortened, too. */
const LONGEST_TAIL = 48;

type Props = {
  readonly text: string;
  readonly mono?: boolean;
  /** A text after the name, for rows with equal names. */
  readonly beside?: string;
};

/** The title has the full name. */
export function FitName({ text, mono = false, beside = '' }: Props) {
  const tail = tailOf(text);
  const isLong = text.length - tail.length >= SHORTEST_START;
  const cut = isLong && tail.length <= LONGEST_TAIL ? tail.length : 0;
  const font = mono ? ' mono' : '';
  const small = beside !== '' && <small> {beside}</small>;
  if (cut === 0) {
    return (
      <span class={`ellipsis${font}`} title={text}>
        {text}
        {small}
      </span>
    );
  }
  return (
    <span
      class={`fit-name${font}`}
      title={text}
      style={{ '--tail': `${cut + (beside === '' ? 0 : beside.length + 1)}ch` }}
    >
      <span>{text.slice(0, -cut)}</span>
      <span class="fit-tail">{tail}</span>
      {small}
    </span>
  );
}
