// Starts what every page has, and renders it.
import '@svc/look/tokens.css';
import '@svc/look/base.css';
import '../controls/controls.css';
import './page.css';
import { type ComponentType, render } from 'preact';
import { startAddress } from '../state/address.ts';
import { startTheme } from '../state/theme.ts';
import { listenForShortcuts } from './commands/shortcuts.ts';
import { guardNotes } from './guard-notes.ts';

/** Starts theme, address and shortcuts, then renders the page. */
export function startPage(Page: ComponentType): void {
  startTheme();
  startAddress();
  listenForShortcuts();
  guardNotes();
  const root = document.getElementById('app');
  if (root !== null) render(<Page />, root);
}
