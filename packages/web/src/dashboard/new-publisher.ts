// What the page of a game says after a trusted publisher was added: what the job of the CI needs.
import type { CreatePublisher, Publisher } from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';
import { PROVIDER_NAMES, whoOf } from './describe-publisher.ts';

/** Whether the audience is the address of the platform, or another text that the developer chose. */
const DONE = { platform: 'trusted', chosen: 'trusted_audience' } as const;

/** The address of the game's page that shows the new publisher. */
export function afterPublisher(
  gameId: string,
  { audience }: CreatePublisher,
  { id }: Publisher,
): string {
  const done = (audience ?? null) === null ? DONE.platform : DONE.chosen;
  return `/dashboard/games/${gameId}?${new URLSearchParams({ done, publisher: id })}`;
}

/** The notice about the publisher that the address of the page names. Empty if there is none, or if it was removed since. */
export function newPublisherNotice({ searchParams }: URL, publishers: readonly Publisher[]): Html {
  const done = searchParams.get('done');
  const publisher = publishers.find(({ id }) => id === searchParams.get('publisher'));
  if (publisher === undefined || (done !== DONE.platform && done !== DONE.chosen)) return html``;
  const api = done === DONE.platform ? publisher.audience : null;
  return html`<div class="notice good" role="status"><p>Runs of <strong><bdi>${whoOf(publisher)}</bdi></strong> (${PROVIDER_NAMES[publisher.provider]}) may now publish this game. ${jobText(publisher)}</p>
<pre><code data-job>${jobOf(publisher, api)}</code></pre>
<p class="hint">Do not set <code>SVC_TOKEN</code>: svc would use it instead.${api === null && ' Set SVC_API to the address of the platform.'}</p>
<div class="actions"><button type="button" class="button quiet" data-copy="[data-job]" hidden>Copy</button></div></div>`;
}

function jobText({ provider }: Publisher): string {
  if (provider === 'other') return 'Set these variables in the job:';
  return 'Add this to the job:';
}

/** The part of the job's definition that svc needs. `api` is the address of the platform; null if it is unknown. */
function jobOf({ provider, audience }: Publisher, api: string | null): string {
  const address = api === null ? '…' : JSON.stringify(api);
  switch (provider) {
    case 'github':
      return `permissions:
  contents: read
  id-token: write
env:
  SVC_API: ${address}
steps:
  - run: svc publish`;
    case 'gitlab':
      return `id_tokens:
  SVC_ID_TOKEN:
    aud: ${JSON.stringify(audience)}
variables:
  SVC_API: ${address}
script:
  - svc publish`;
    case 'other':
      return `SVC_ID_TOKEN=<ID token with the audience ${audience}>
SVC_API=${api ?? '…'}`;
  }
}
