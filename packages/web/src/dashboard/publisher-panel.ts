// The trusted publishers of a game: CI runs that may publish it without a stored token.
import type { Game, PlatformLimits, Publisher } from '@svc/contracts/platform';
import { formatDay } from '../html/format.ts';
import { type Html, html, type Shown } from '../html/html.ts';
import { limitsOf, nameOf, PROVIDER_NAMES, whoOf } from './describe-publisher.ts';
import type { Outcome } from './forms/outcome.ts';
import { publisherForm } from './publisher-form.ts';

/** `form` is the rejected form for a new one, empty if there is none. */
export function publisherPanel(
  game: Game,
  publishers: readonly Publisher[],
  limits: PlatformLimits,
  { form, outcome }: { readonly form: URLSearchParams; readonly outcome: Outcome | null },
): Html {
  const base = `/dashboard/games/${game.id}`;
  return html`<section class="panel" aria-labelledby="trust"><h2 id="trust">Trusted publishers</h2>
<p class="quiet-text">Runs of a CI that may publish this game without a stored token. The CI signs the identity of each run, and svc exchanges it for a token that is valid for minutes.</p>
${publishers.length === 0 ? html`<p class="none-yet quiet-text">None yet. Add the repository that builds the game, or run <code>svc trust add</code>.</p>` : html`<ul class="links">${publishers.map((publisher) => publisherItem(base, publisher))}</ul>`}
${publisherForm(base, form, limits, outcome)}</section>`;
}

function publisherItem(base: string, publisher: Publisher): Html {
  const { provider, repository_id, issuer, audience } = publisher;
  const scope = describeScope(publisher);
  return html`<li><div><p><strong><bdi>${whoOf(publisher)}</bdi></strong> <span>${PROVIDER_NAMES[provider]}</span></p>
${scope !== null && html`<p>${scope}</p>`}
<p class="hint">${repository_id !== null && `Repository id ${repository_id} · `}Issuer ${issuer} · Audience ${audience} · ${lastUse(publisher)}</p></div>
<div class="row-actions">${removal(base, publisher)}</div></li>
`;
}

/** The runs of the repository that may publish. The subject of another issuer says it itself. */
function describeScope(publisher: Publisher): Shown {
  const limits = limitsOf(publisher);
  if (limits.length === 0) return publisher.repository === null ? null : 'any run';
  return limits.map(
    ([name, value], index) => html`${index > 0 && ' · '}${name} <bdi>${value}</bdi>`,
  );
}

function lastUse({ last_used_at }: Publisher): Html {
  return last_used_at === null ? html`never used` : html`last used ${formatDay(last_used_at)}`;
}

function removal(base: string, publisher: Publisher): Html {
  const name = nameOf(publisher);
  return html`<details class="confirm"><summary class="button danger">Remove …<span class="visually-hidden"> ${name}</span></summary><form method="post" action="${base}/untrust"><input type="hidden" name="publisher" value="${publisher.id}"><p>Its runs can’t publish any more, also those that are in progress. Releases that it published stay.</p><button class="button danger" aria-label="Remove ${name}">Remove</button></form></details>`;
}
