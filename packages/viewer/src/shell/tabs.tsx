// The tabs: one for each view of the open trace.
import { useEffect, useRef } from 'preact/hooks';
import { VIEW_NAMES, VIEWS, view } from '../state/address.ts';

export function Tabs() {
  const tabs = useRef<HTMLElement>(null);
  const shown = view.value;
  // On narrow screens the tabs scroll, so the current one is brought into view.
  useEffect(() => {
    tabs.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [shown]);
  return (
    <nav ref={tabs} class="tabs" aria-label="Views">
      {VIEWS.map((one, index) => (
        <button
          key={one}
          type="button"
          class="tab"
          aria-current={shown === one ? 'page' : undefined}
          title={`${VIEW_NAMES[one]} (${index + 1})`}
          onClick={() => {
            view.value = one;
          }}
        >
          {VIEW_NAMES[one]}
        </button>
      ))}
    </nav>
  );
}
