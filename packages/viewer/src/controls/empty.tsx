// What a view shows where there is nothing: that there is nothing, and what to do about it.
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
