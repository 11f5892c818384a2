// A name that is shortened to the width of its place, in its middle if its end tells most.
import { tailOf } from '../draw/fit-name.ts';

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
  const cut = tail.length > LONGEST_TAIL ? 0 : tail.length;
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
    <span class={`fit-name${font}`} title={text}>
      <span>{text.slice(0, -cut)}</span>
      <span>{tail}</span>
      {small}
    </span>
  );
}
