// The scripts of a page, and its footer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Assets, readAssets } from '../assets/read-assets.ts';
import { html } from '../html/html.ts';
import { pageShell } from './page-shell.ts';

const ORIGIN = 'https://store.example';
const WEB = { origin: ORIGIN, name: 'Store', footerLinks: [], assets: readAssets() };

/** The document around a page with two islands. */
function documentOf(more: Partial<Parameters<typeof pageShell>[0]['web']>): string {
  const page = { title: 'Edit', body: html`<p>Form</p>`, islands: ['editor', 'done'] } as const;
  const around = { web: { ...WEB, ...more }, url: new URL(ORIGIN), session: null };
  return pageShell(around, page, 'abc').text;
}

function scriptsOf(island: Assets['island']): string[] {
  const text = documentOf({ assets: { ...WEB.assets, island } });
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

test('the footer has the links of the operator after its own', () => {
  const footerLinks = [{ name: 'A & B', address: 'https://x.example/?a=1&b="2"' }];
  const text = documentOf({ footerLinks });
  assert.match(
    text,
    />Atom<\/a><a href="https:\/\/x\.example\/\?a=1&amp;b=&quot;2&quot;">A &amp; B<\/a><\/nav>/,
  );
  assert.match(documentOf({}), />Atom<\/a><\/nav>/);
});
