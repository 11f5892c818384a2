// `svc-platform admin report …`: read and decide what players report.
import {
  REPORT_REASONS,
  type Report,
  type ReportOutcome,
  requestSchemas,
} from '@svc/contracts/platform';
import { findGameByName } from '../../admin/find-all-games.ts';
import { isId } from '../../database/new-id.ts';
import { findReport, findReports } from '../../reports/find-reports.ts';
import { reopenReport, resolveReport } from '../../reports/resolve-report.ts';
import {
  type AdminCommand,
  type Call,
  checkBody,
  printFields,
  printRows,
  readList,
  shortTime,
} from './admin-command.ts';

const STATES = ['open', 'resolved', 'all'] as const;

export const reportCommands: readonly AdminCommand[] = [
  {
    name: 'report list',
    takes: [],
    optionHelp: '[--state open|resolved|all] [--game SLUG] [--limit N]',
    options: { state: { type: 'string' }, game: { type: 'string' }, limit: { type: 'string' } },
    run: listReports,
  },
  {
    name: 'report show',
    takes: ['REPORT'],
    optionHelp: '',
    options: {},
    run: (call) => showReport(call, reportOf(call)),
  },
  {
    name: 'report resolve',
    takes: ['REPORT', 'acted|dismissed'],
    optionHelp: '[--note TEXT] [--whole-game]',
    options: { note: { type: 'string' }, 'whole-game': { type: 'boolean' } },
    run: resolve,
  },
  {
    name: 'report reopen',
    takes: ['REPORT'],
    optionHelp: '',
    options: {},
    run: reopen,
  },
];

function reportOf({ words }: Call): string {
  return words[0] ?? '';
}

async function listReports(call: Call): Promise<void> {
  const { admin, text, json, print } = call;
  const state = readState(text('state') ?? 'open');
  const game = text('game');
  const filter = {
    limit: String(admin.limits.list_maximum),
    ...(state === 'all' ? {} : { state }),
    ...(game === undefined ? {} : { game: await gameIdOf(call, game) }),
  };
  const rows: string[][] = [];
  const { isCut } = await readList(
    call,
    async (cursor) => {
      const { reports, next_cursor } = await findReports(admin, { ...filter, cursor });
      return { entries: reports, next_cursor };
    },
    (report) => {
      if (json) print(JSON.stringify(report));
      else rows.push(rowOf(report));
    },
  );
  if (json) return;
  const titles = ['REPORT', 'SINCE', 'GAME', 'VERSION', 'REASON', 'STATE'];
  const nothing = state === 'open' ? 'No report is open' : 'No report was found';
  printRows(call, titles, rows, { isCut, nothing });
}

/** Returns the id of a game. The reports of one that was removed are found by the id. */
async function gameIdOf({ admin }: Call, name: string): Promise<string> {
  return isId(name) ? name : (await findGameByName(admin.db, name)).id;
}

function readState(text: string): (typeof STATES)[number] {
  const state = STATES.find((one) => one === text);
  if (state !== undefined) return state;
  throw new Error(`Cannot use --state "${text}". Allowed: ${STATES.join(', ')}`);
}

function rowOf({ id, created_at, game, version, reason, resolved }: Report): string[] {
  const state = resolved === null ? 'open' : resolved.outcome;
  return [id, shortTime(created_at), game.slug, version ?? '', reason, state];
}

async function showReport(call: Call, id: string): Promise<void> {
  const { admin, json, print } = call;
  const { report, others, open } = await findReport(admin, id);
  if (json) return print(JSON.stringify({ ...report, others, open }));
  const { game, developer, resolved } = report;
  const reason = REPORT_REASONS.find((one) => one.id === report.reason)?.name ?? report.reason;
  printFields(call, [
    ['id', report.id],
    ['since', shortTime(report.created_at)],
    ['game', `${game.title} (${game.slug})`],
    ['page', game.url ?? 'none: the game was removed'],
    ['developer', `${developer.name} (${developer.uid})`],
    ['version', report.version],
    ['reason', `${reason} (${report.reason})`],
    ['text', report.text],
    ['resolved', resolved === null ? null : describeDecision(resolved)],
    ['note', resolved?.note ?? null],
    ['open reports of the game', String(open)],
  ]);
  if (others.length === 0) return;
  print('\nOther reports of the game:');
  printRows(call, ['REPORT', 'SINCE', 'GAME', 'VERSION', 'REASON', 'STATE'], others.map(rowOf), {
    isCut: false,
    nothing: '',
  });
}

function describeDecision({ at, by, outcome }: NonNullable<Report['resolved']>): string {
  return `${shortTime(at)}, ${outcome}, by ${by.name ?? by.uid ?? 'unknown'}`;
}

async function resolve(call: Call): Promise<void> {
  const { admin, words, text, has } = call;
  const outcome = readOutcome(words[1] ?? '');
  const body = { outcome, note: text('note') ?? null, whole_game: has('whole-game') };
  checkBody(requestSchemas(admin.limits).ResolveReport, body);
  const count = await resolveReport(admin, reportOf(call), body);
  await confirm(call, count === 1 ? 'Resolved 1 report' : `Resolved ${count} reports`);
}

function readOutcome(text: string): ReportOutcome {
  if (text === 'acted' || text === 'dismissed') return text;
  throw new Error(`There is no outcome "${text}". Outcomes: acted, dismissed`);
}

async function reopen(call: Call): Promise<void> {
  await reopenReport(call.admin, reportOf(call));
  await confirm(call, 'The report is open');
}

/** Prints the outcome of an act: a sentence, or the changed report as JSON. */
async function confirm(call: Call, sentence: string): Promise<void> {
  if (call.json) await showReport(call, reportOf(call));
  else call.print(sentence);
}
