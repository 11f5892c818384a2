// The viewer's page with a trace in it.
import { replaceControls } from '@svc/trace';
import type { Target } from './write-target.ts';

export type PageContent = {
  /** The name of the trace, without a path. */
  readonly name: string;
  readonly verdict: { readonly headline: string; readonly detail: string };
  /** What the page shows, as the fragment of its address. Empty for its defaults. */
  readonly fragment: string;
  /** The gzip file of the trace in pieces. */
  readonly trace: readonly Uint8Array[];
};

const TITLE = '<title>svc viewer</title>';
const NO_SCRIPT = '<noscript>';
const END = '</body>';

/** Writes the page. `template` is the viewer as one file. Throws an Error if it is not. */
export async function writeReportPage(
  target: Target,
  template: string,
  { name, verdict, fragment, trace }: PageContent,
): Promise<void> {
  const { headline, detail } = verdict;
  const [beforeTitle, afterTitle] = splitAt(template, template.indexOf(TITLE), TITLE);
  // The code of the page, which comes last, may contain these words.
  const [beforeNote, afterNote] = splitAt(afterTitle, afterTitle.indexOf(NO_SCRIPT), NO_SCRIPT);
  const [code] = splitAt(afterNote, afterNote.lastIndexOf(END), END);
  const end = afterNote.slice(code.length);
  const write = (text: string): void => target.write(Buffer.from(text));
  write(`${beforeTitle}<title>${escapeHtml(`${name}: ${headline}`)}</title>${beforeNote}`);
  write(`${NO_SCRIPT}<h1>${escapeHtml(headline)}</h1><p>${escapeHtml(detail)}</p>${code}`);
  const shown = fragment === '' ? '' : ` data-fragment="${escapeHtml(fragment)}"`;
  write(`<script type="application/vnd.svc.trace" data-name="${escapeHtml(name)}"${shown}>`);
  for (const piece of toBase64(trace)) {
    target.write(piece);
    await target.drain();
  }
  write(`</script>\n${end}`);
}

/** The texts before and after a mark at a place. */
function splitAt(text: string, at: number, mark: string): [before: string, after: string] {
  if (at < 0) throw new Error(`The viewer's page has no ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

/** The base64 of all pieces together. */
function* toBase64(pieces: readonly Uint8Array[]): Generator<Buffer> {
  let rest = Buffer.alloc(0);
  for (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece]);
    // Three bytes are four digits. The others wait for the next piece.
    const whole = bytes.length - (bytes.length % 3);
    yield Buffer.from(bytes.toString('base64', 0, whole));
    rest = bytes.subarray(whole);
  }
  yield Buffer.from(rest.toString('base64'));
}

/** Text in an element or an attribute, for any reader of HTML. Control characters and those that change the direction of text become blanks. */
function escapeHtml(text: string): string {
  return replaceControls(text.toWellFormed(), () => ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
