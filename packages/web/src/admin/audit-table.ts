// Records of the audit trail as a table.
import type { AuditRecord } from '@svc/contracts/platform';
import { type Row, table } from '../dashboard/forms/table.ts';
import { formatMinute } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';

/** The table. The subject is shown only if the records are about `several`. */
export function auditTable(records: readonly AuditRecord[], subjects: 'one' | 'several'): Html {
  const hasSubject = subjects === 'several';
  const columns = ['Action', 'Time', 'By', ...(hasSubject ? ['Subject'] : []), 'Detail'];
  const rows = records.map((record) => recordRow(record, hasSubject));
  return html`<div class="audit">${table('Table of records', columns, rows)}</div>`;
}

function recordRow(record: AuditRecord, hasSubject: boolean): Row {
  const { action, at, subject, subject_name, detail } = record;
  const link = html`<a href="/dashboard/admin/audit?subject=${subject}">${subject_name ?? subject}</a>`;
  return [
    html`<code>${action}</code>`,
    formatMinute(at),
    actorOf(record),
    ...(hasSubject ? [link] : []),
    detail ?? '',
  ];
}

function actorOf({ actor }: AuditRecord): Html {
  if (actor === null) return html`the server`;
  const { uid, name, token_id } = actor;
  if (uid === null) return html`${name} <span class="quiet-text">on the server</span>`;
  return html`<a href="/dashboard/admin/users/${uid}">${name ?? uid}</a>${token_id !== null && html` <span class="quiet-text">by token</span>`}`;
}
