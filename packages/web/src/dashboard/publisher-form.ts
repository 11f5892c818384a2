// The form that adds a trusted publisher, and its conversion to the API's fields.
import type { CreatePublisher, PlatformLimits, PublisherProvider } from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';
import { PROVIDER_NAMES } from './describe-publisher.ts';
import { selectField, textField } from './forms/fields.ts';
import type { Outcome } from './forms/outcome.ts';

const PROVIDERS: readonly (readonly [PublisherProvider, string])[] = [
  ['github', PROVIDER_NAMES.github],
  ['gitlab', PROVIDER_NAMES.gitlab],
  ['other', 'Other OpenID Connect issuer'],
];

/**
 * Converts the form to the API's fields. Every field that is not empty is sent, whatever the provider, so that the API rejects
 * a limit that it would not check.
 */
export function readPublisher(form: URLSearchParams): CreatePublisher {
  const text = (name: string): string | null => form.get(name)?.trim() || null;
  return {
    provider: PROVIDERS.find(([id]) => id === form.get('provider'))?.[0] ?? 'other',
    repository: text('repository'),
    branch: text('branch'),
    environment: text('environment'),
    workflow: text('workflow'),
    issuer: text('issuer'),
    subject: text('subject'),
    audience: text('audience'),
  };
}

/**
 * The form, open if it was submitted. `outcome` is the result of that. The style sheet hides the fields of other providers, so
 * no field is checked before it is sent: a browser can't show what is wrong with a hidden one.
 */
export function publisherForm(
  base: string,
  form: URLSearchParams,
  limits: PlatformLimits,
  outcome: Outcome | null,
): Html {
  const field = (name: string, label: string, hint: string, required?: 'for-some') =>
    textField({
      ...{ name, label, hint, outcome, value: form.get(name) },
      maxLength: limits.publisher_text_characters,
      ...(required !== undefined && { required }),
    });
  return html`<details class="add-publisher"${form.has('provider') && html` open`}><summary>Add a publisher</summary>
<form class="form publisher-form" method="post" action="${base}/trust">
<p class="quiet-text">Every run that matches all fields may publish. To keep others who can push to the repository from publishing, name a branch that is protected, or an environment that has protection rules. A workflow alone protects nothing, because its file can be changed on any branch.</p>
<div class="publisher-fields">
${selectField({ name: 'provider', label: 'Provider', value: form.get('provider') ?? 'github', options: PROVIDERS, outcome })}
${field('repository', 'Repository', 'Owner and name, such as acme/moonhop.', 'for-some')}
${field('branch', 'Branch', 'Such as main or release/*.')}
${field('environment', 'Environment', 'Such as production.')}
${field('workflow', 'Workflow', 'The name of its file, such as release.yml.')}
${field('issuer', 'Issuer', 'Address of the server that signs the identities. Leave it empty for github.com and gitlab.com.', 'for-some')}
${field('subject', 'Subject', 'Pattern for the claim “sub”, such as job:moonhop:**. GitHub and GitLab need none.', 'for-some')}
${field('audience', 'Audience', 'The claim “aud” of the identities. Leave it empty to use the address of the platform.')}</div>
<p class="hint">In branch, environment and subject, <code>*</code> matches any text without / and :, and <code>**</code> matches any text.</p>
<p class="actions"><button class="button">Trust these runs</button></p></form></details>`;
}
