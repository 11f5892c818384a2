// The buttons that share a moment: its address, and its content as Markdown.
import { useSignal } from '@preact/signals';
import { notesWithin } from '@svc/trace';
import { type Copied, copyText } from '../../controls/copy-button.tsx';
import { HandCopy } from '../../controls/hand-copy.tsx';
import type { TimeRange } from '../../draw/time-axis.ts';
import { momentFragment } from '../../state/address.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { notes } from '../../traces/trace-notes.ts';
import type { MomentView } from './derive-moment.ts';
import { momentMarkdown } from './moment-markdown.ts';

type Props = { readonly moment: MomentView; readonly range: TimeRange };

export function MomentShare({ moment, range }: Props) {
  /** What the last button did. The notices of the page are behind the dialog. */
  const copied = useSignal<Copied>({ result: '', copy: null });
  const copy = async (text: string, what: string): Promise<void> => {
    copied.value = await copyText(text, what);
  };
  const markdown = (): string =>
    momentMarkdown(moment, {
      name: mainTrace.value?.name ?? 'trace',
      range,
      fragment: momentFragment(range),
      notes: notesWithin(notes.value, { from_ms: range.from, to_ms: range.to }),
    });
  return (
    <>
      <span class="hint" role="status">
        {copied.value.result}
      </span>
      {copied.value.copy !== null && <HandCopy {...copied.value.copy} />}
      <button
        type="button"
        class="button"
        title="The address of this moment. It has no token and no name from the trace."
        onClick={() => void copy(addressOf(momentFragment(range)), 'link')}
      >
        Copy link
      </button>
      <button
        type="button"
        class="button"
        title="For an issue tracker"
        onClick={() => void copy(markdown(), 'Markdown')}
      >
        Copy as Markdown
      </button>
    </>
  );
}

/** The address of this page with a fragment. The token of the session is never in it. A page from disk has only its file name. */
function addressOf(fragment: string): string {
  const { protocol, origin, pathname } = location;
  if (protocol === 'file:') return `${pathname.split('/').at(-1)}${fragment}`;
  return `${origin}${pathname}${fragment}`;
}
