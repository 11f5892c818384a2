// The acts on a report's page.
import type { DeveloperVisit } from '../dashboard/member.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam } from '../visit/visit.ts';
import { act, field, rejected } from './act.ts';
import { showReport } from './report-page.ts';
import { OUTCOMES } from './report-table.ts';

/** Decides the report, and if the form says so, all open reports of its game. */
export function resolveReport(visit: DeveloperVisit): Promise<Answer> {
  const outcome = OUTCOMES.find(([id]) => id === field(visit, 'outcome'))?.[0];
  if (outcome === undefined) {
    return rejected(visit, showReport, 'Choose what the result is.', 'outcome');
  }
  const body = {
    outcome,
    note: field(visit, 'note') || null,
    whole_game: field(visit, 'whole_game') !== '',
  };
  return act(visit, showReport, 'resolved', () =>
    visit.memberApi.call('resolveReport', { params: reportOf(visit), body }),
  );
}

export function reopenReport(visit: DeveloperVisit): Promise<Answer> {
  return act(visit, showReport, 'reopened', () =>
    visit.memberApi.call('reopenReport', { params: reportOf(visit) }),
  );
}

function reportOf(visit: DeveloperVisit): { report: string } {
  return { report: pathParam(visit, 'report') };
}
