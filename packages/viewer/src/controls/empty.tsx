// The message of an empty view, with a next step.
import type { ComponentChildren } from 'preact';

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
    </section>
  );
}
