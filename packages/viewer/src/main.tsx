// The page's entry: theme, address, session, then the app.
import '@svc/look/tokens.css';
import '@svc/look/base.css';
import './controls/controls.css';
import './page/page.css';
import { render } from 'preact';
import { listenForShortcuts } from './commands/shortcuts.ts';
import { followAgentTrace } from './open/follow-agent.ts';
import { startAddress } from './page/address.ts';
import { App } from './page/app.tsx';
import { startTheme } from './page/theme.ts';
import { startSession } from './session/session.ts';

startTheme();
startSession();
startAddress();
followAgentTrace();
listenForShortcuts();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
