// The buttons that share a moment: its address, and its content as Markdown.
import { copyText } from '../../controls/copy-button.tsx';
import type { TimeRange } from '../../draw/time-axis.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import type { MomentView } from './derive-moment.ts';
import { momentMarkdown } from './moment-markdown.ts';

type Props = { readonly moment: MomentView; readonly range: TimeRange };

export function MomentShare({ moment, range }: Props) {
  const markdown = (): string =>
    momentMarkdown(moment, { name: mainTrace.value?.name ?? 'trace', range, link: addressHere() });
  return (
    <>
      <button
        type="button"
        class="button"
        title="The address of this moment. It has no token and no data of the trace."
        onClick={() => void copyText(addressHere(), 'link')}
      >
        Copy link
      </button>
      <button
        type="button"
        class="button"
        title="For an issue tracker"
        onClick={() => void copyText(markdown(), 'Markdown')}
      >
        Copy as Markdown
      </button>
    </>
  );
}

/** The address of the page. The token of the session is never in it. A page from disk has only its file name. */
function addressHere(): string {
  const { protocol, origin, pathname, hash } = location;
  if (protocol === 'file:') return `${pathname.split('/').at(-1)}${hash}`;
  return `${origin}${pathname}${hash}`;
}
