// The page that an agent serves: the viewer with the session, and the form for its token.
import { connection } from '../client/session.ts';
import { ModelQuestions } from '../views/analysis/model-questions.tsx';
import { App } from './app.tsx';
import { Welcome } from './open/welcome.tsx';
import type { PageParts } from './page-parts.ts';
import { ConfirmEnd } from './session/confirm-end.tsx';
import { ConfirmStart } from './session/confirm-start.tsx';
import { SessionBanner } from './session/session-banner.tsx';
import { SessionButtons } from './session/session-buttons.tsx';
import { TokenForm } from './session/token-form.tsx';

const PARTS: PageParts = {
  Welcome,
  Actions: SessionButtons,
  Banner: SessionBanner,
  Dialogs,
  AfterFindings: ModelQuestions,
};

export function AgentPage() {
  if (connection.value === 'no_token' || connection.value === 'refused') return <TokenForm />;
  return <App parts={PARTS} />;
}

function Dialogs() {
  return (
    <>
      <ConfirmStart />
      <ConfirmEnd />
    </>
  );
}
