// Where a release was built, as the CI that published it states in its signed identity.
import type { Provenance, Release } from '@svc/contracts/platform';
import { type Html, html, type Shown } from '../html/html.ts';

const HASH_CHARACTERS = 7;

/** Issuers that sign the names of repositories on hosts that everybody knows. Any other is named, because it can sign any name. */
const KNOWN_ISSUERS: ReadonlySet<string> = new Set([
  ...['https://token.actions.githubusercontent.com', 'https://gitlab.com'],
]);

/** One line with links to the commit and to the run; null if the release was not published by a CI with its own identity. */
export function provenanceLine({ version, provenance }: Release): Html | null {
  if (!provenance) return null;
  const { ref, run_url } = provenance;
  const run = html`run<span class="visually-hidden"> that published ${version}</span>`;
  return html`<p class="provenance">${origin(provenance)}${ref !== null && html` (<bdi>${ref}</bdi>)`}${isWebAddress(run_url) && html` · ${link(run_url, run)}`}</p>`;
}

/** The repository and the commit. An issuer whose claims name no repository is shown with its subject. */
function origin({ repository, subject, issuer, commit, commit_url }: Provenance): Html {
  if (repository === null)
    return html`Built by <bdi>${subject}</bdi> at <bdi>${hostOf(issuer)}</bdi>`;
  const hash = commit === null ? '' : `@${commit.slice(0, HASH_CHARACTERS)}`;
  const host = KNOWN_ISSUERS.has(issuer) ? null : html` at <bdi>${hostOf(issuer)}</bdi>`;
  return html`Built from ${link(commit_url, html`<bdi>${repository}${hash}</bdi>`)}${host}`;
}

function link(address: string | null, content: Html): Shown {
  if (!isWebAddress(address)) return content;
  return html`<a href="${address}" rel="noopener nofollow">${content}</a>`;
}

function isWebAddress(address: string | null): address is string {
  return address !== null && URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}
