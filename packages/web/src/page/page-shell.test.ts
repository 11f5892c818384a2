// The scripts of a page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Assets, readAssets } from '../assets/read-assets.ts';
import { html } from '../html/html.ts';
import { pageShell } from './page-shell.ts';

/** The script elements of a page with two islands. */
function scriptsOf(island: Assets['island']): string[] {
  const origin = 'https://store.example';
  const web = { origin, name: 'Store', assets: { ...readAssets(), island } };
  const page = { title: 'Edit', body: html`<p>Form</p>`, islands: ['editor', 'done'] } as const;
  const { text } = pageShell({ web, url: new URL(origin), session: null }, page, 'abc');
  assert.match(text, /<p>Form<\/p>/);
  return text.match(/<script[^>]*>/g) ?? [];
}

test('a page includes the script of each of its islands that was built', () => {
  const path = (name: string): string | null => (name === 'done' ? '/assets/done-1.js' : null);
  assert.deepEqual(scriptsOf(path), ['<script type="module" src="/assets/done-1.js" nonce="abc">']);
  assert.deepEqual(
    scriptsOf(() => null),
    [],
  );
});
