// The page's entry: starts theme, session, address and shortcuts, then renders the app.
import '@svc/look/tokens.css';
import '@svc/look/base.css';
import './controls/controls.css';
import './shell/page.css';
import { render } from 'preact';
import { startSession } from './client/session.ts';
import { App } from './shell/app.tsx';
import { listenForShortcuts } from './shell/commands/shortcuts.ts';
import { startAddress } from './state/address.ts';
import { startTheme } from './state/theme.ts';
import { followAgentTrace } from './traces/follow-agent.ts';

startTheme();
startSession();
startAddress();
followAgentTrace();
listenForShortcuts();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
