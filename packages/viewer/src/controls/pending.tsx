// The placeholder for an answer of the worker: a message while it runs, or why it failed.
import type { ComponentChildren } from 'preact';

type Props = { readonly fault: string | null; readonly children: ComponentChildren };

export function Pending({ fault, children }: Props) {
  if (fault === null) return <p class="hint">{children}</p>;
  return (
    <p class="note tone-warn" role="alert">
      This cannot be shown: {fault}
    </p>
  );
}
