// A submitted form as a hidden part of a page, so that the input is not lost and can be submitted again.
import { type Html, html } from '../html/html.ts';
import { sentForm, type Visit } from '../visit/visit.ts';

/** A form with all submitted fields and one button. */
export function keptForm(visit: Visit, button: string): Html {
  const fields = [...sentForm(visit)];
  return html`<form method="post" action="${visit.url.pathname + visit.url.search}">
${fields.map(
  ([name, value]) => html`<textarea name="${name}" hidden>
${value}</textarea>`,
)}
<p class="actions"><button class="button">${button}</button></p></form>`;
}

/** Whether the request was an upload, which is not kept. */
export function isUpload({ request }: Visit): boolean {
  return request.headers['content-type']?.startsWith('multipart/') === true;
}
