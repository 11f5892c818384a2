// The address of a game's page, its earlier addresses, and the form that changes it.
import { type Game, type PlatformLimits, SLUG_PATTERN } from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';
import { textField } from './forms/fields.ts';
import type { Outcome } from './forms/outcome.ts';

/** `wanted` is the slug that was rejected; null if none was. */
export function addressPanel(
  game: Game,
  formerSlugs: readonly string[],
  limits: PlatformLimits,
  { wanted, outcome }: { readonly wanted: string | null; readonly outcome: Outcome | null },
): Html {
  return html`<section class="panel" aria-labelledby="address"><h2 id="address">Address</h2>
<p><code class="wrapping">/games/${game.slug}</code></p>
${formerSlugs.length > 0 && html`<p class="hint">These lead there too: ${formerSlugs.map((slug, index) => html`${index > 0 && ', '}<code class="wrapping">/games/${slug}</code>`)}</p>`}
<details class="move-page"${wanted !== null && html` open`}><summary>Change the address</summary>
<form class="move-form" method="post" action="/dashboard/games/${game.id}/slug"><p class="quiet-text">Links to the old address lead to the new one, and players keep their saves. Up to ${limits.former_slugs_per_project} old addresses stay with the game.</p>
${textField({
  ...{ name: 'slug', label: 'New address', value: wanted ?? game.slug, required: true, outcome },
  ...{ maxLength: limits.slug_characters, pattern: SLUG_PATTERN.slice(1, -1) },
  hint: 'Lower-case letters, digits, and single hyphens between them.',
})}
<p class="actions"><button class="button">Change the address</button></p></form></details></section>`;
}
