// The settings of VitePress. `npm run site` copies this folder beside the pages and adds the sidebar.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { slugOf } from './slug.ts';

/** The browser refuses requests to other hosts. VitePress has scripts and styles in its pages. */
const POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'";

const sidebar = JSON.parse(readFileSync(join(import.meta.dirname, 'sidebar.json'), 'utf8'));

export default {
  lang: 'en',
  title: 'svc',
  description: 'A private profiler and a safe publishing platform for game developers',
  head: [
    ['meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }],
    ['meta', { name: 'referrer', content: 'no-referrer' }],
    ['link', { rel: 'icon', href: 'data:,' }],
  ],
  markdown: {
    anchor: { slugify: slugOf },
    // Braces after code are text.
    attrs: { disable: true },
    languageAlias: { caddyfile: 'nginx' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    search: {
      provider: 'local',
      // All words must be found: an option such as `--fail-on` has two. A function here would need `eval`, which the policy forbids.
      options: {
        miniSearch: { searchOptions: { combineWith: 'AND' } },
      },
    },
    sidebar,
    outline: [2, 3],
    externalLinkIcon: true,
  },
  // The index of the search is one file.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
};
