// The page: bar, tabs, the current view and the dialogs.

import { view } from '../state/address.ts';
import { mainTrace, traceId } from '../traces/open-traces.ts';
import { AnalysisView } from '../views/analysis/analysis-view.tsx';
import { Assets } from '../views/assets/assets-view.tsx';
import { Compare } from '../views/compare/compare-view.tsx';
import { Frames } from '../views/frames/frames-view.tsx';
import { MemoryPage } from '../views/memory/memory-view.tsx';
import { Moment } from '../views/moment/moment-dialog.tsx';
import { NoteDialog } from '../views/notes/note-dialog.tsx';
import { NoteStrip } from '../views/notes/note-strip.tsx';
import { OverviewPage } from '../views/overview/overview-view.tsx';
import { Stacks } from '../views/stacks/stacks-view.tsx';
import { TimelineView } from '../views/timeline/timeline-view.tsx';
import { Palette } from './commands/palette.tsx';
import { Shortcuts } from './commands/shortcuts-dialog.tsx';
import { Notices } from './notices-list.tsx';
import { About } from './open/about-dialog.tsx';
import { ConfirmOpen } from './open/confirm-open.tsx';
import { DropZone } from './open/drop-zone.tsx';
import { OpeningBar, Refusal } from './open/opening.tsx';
import type { PageParts } from './page-parts.ts';
import { SelectionBar } from './selection-bar.tsx';
import { Tabs } from './tabs.tsx';
import { TopBar } from './top-bar.tsx';

export function App({ parts }: { readonly parts: PageParts }) {
  const { Welcome, Actions, Banner, Dialogs } = parts;
  return (
    <>
      <TopBar Actions={Actions} />
      {Banner !== undefined && <Banner />}
      <OpeningBar />
      <Refusal />
      {mainTrace.value !== null && <Tabs />}
      {mainTrace.value !== null && <NoteStrip />}
      {mainTrace.value !== null && <SelectionBar />}
      <main id="view" class="view" tabIndex={-1}>
        {mainTrace.value === null ? <Welcome /> : <CurrentView parts={parts} />}
      </main>
      <DropZone />
      <Moment />
      <NoteDialog />
      <About />
      <ConfirmOpen />
      {Dialogs !== undefined && <Dialogs />}
      <Palette />
      <Shortcuts />
      <Notices />
    </>
  );
}

function CurrentView({ parts }: { readonly parts: PageParts }) {
  switch (view.value) {
    case 'overview':
      // A view of another trace starts anew, so that it never shows the answer of the one before.
      return <OverviewPage key={traceId.value} />;
    case 'timeline':
      return <TimelineView />;
    case 'frames':
      return <Frames />;
    case 'stacks':
      return <Stacks />;
    case 'assets':
      return <Assets />;
    case 'memory':
      return <MemoryPage key={traceId.value} />;
    case 'compare':
      return <Compare />;
    case 'analysis':
      return <AnalysisView AfterFindings={parts.AfterFindings} />;
  }
}
