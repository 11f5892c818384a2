// One important number in large type, with its name above and a note below.
import type { ComponentChildren } from 'preact';

type Props = {
  readonly name: string;
  readonly value: string;
  readonly children: ComponentChildren;
};

export function Figure({ name, value, children }: Props) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        {value}
        {typeof children === 'string' ? <small>{children}</small> : children}
      </dd>
    </div>
  );
}
