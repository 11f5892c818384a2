// A scrollable box with text that will be or was sent.

export function SentText({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section class="sent-text" aria-label={label} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  );
}
