// What users do with their whole account: download their data, sign out everywhere, delete it.
import { Readable } from 'node:stream';
import { PlatformError } from '@svc/contracts/platform';
import { receiveFile } from '../api/receive-file.ts';
import { asSentence } from '../html/format.ts';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import type { Answer, Download } from '../routes/route.ts';
import { dropDevice } from '../session/device-cookie.ts';
import { dropSession } from '../session/session-cookie.ts';
import { clientFor, sentForm } from '../visit/visit.ts';
import { ACCOUNT, dataLinks } from './account-panel.ts';
import { dashboardPage } from './dashboard-page.ts';
import { DELETED, SIGNED_OUT } from './farewell-pages.ts';
import { notice, type Outcome } from './forms/outcome.ts';
import { type MemberVisit, UPLOAD_MS } from './member.ts';
import { showProfile } from './profile-page.ts';

const COUNTED = 100;
const OUTDATED: Outcome = {
  status: 501,
  text: 'The platform’s API is of an older version, which can’t do this. Nothing was changed. Ask the operator of the store to update it.',
};

/** Sends the ZIP with the user's data while the API makes it. */
export async function exportData(visit: MemberVisit): Promise<Answer> {
  const { web, request, session, url } = visit;
  const builds = url.searchParams.get('builds') === 'true' ? ({ builds: 'true' } as const) : {};
  // An export is costly, and its length is not known before.
  if (request.method === 'HEAD') return zip(Readable.from([]), 'attachment');
  const patience = () => AbortSignal.timeout(UPLOAD_MS);
  const api = clientFor(web, request, session.idToken, patience, receiveFile);
  return await unlessRefused(visit, async () => {
    const { body, headers } = await api.open('exportAccount', { query: builds });
    const content = body === null ? Readable.from([]) : Readable.from(body, { objectMode: false });
    return zip(content, headers.get('content-disposition') ?? 'attachment');
  });
}

function zip(content: Readable, disposition: string): Download {
  const headers = { 'cache-control': 'private, no-store', 'content-disposition': disposition };
  return { type: 'application/zip', content, headers };
}

/** Ends all sessions of the user, also this one. */
export async function signOutEverywhere(visit: MemberVisit): Promise<Answer> {
  return await unlessRefused(visit, async () => {
    await visit.memberApi.call('endOwnSessions', {});
    dropSession(visit.web.cookies, visit.reply);
    return { to: SIGNED_OUT };
  });
}

/** The page that says what a deletion deletes. */
export async function deletionPage(visit: MemberVisit): Promise<Page> {
  return await showDeletion(visit, null);
}

/** Deletes the account if the form contains its name. */
export async function deleteAccount(visit: MemberVisit): Promise<Answer> {
  const { user } = await visit.memberApi.call('me', {});
  if (asTyped(sentForm(visit).get('name') ?? '') !== asTyped(user.name)) {
    const text = `Nothing was deleted. To delete your account, type your name exactly: “${user.name}”.`;
    return await showDeletion(visit, { status: 400, text });
  }
  return await unlessRefused(visit, async () => {
    await visit.uploadApi.call('deleteAccount', {});
    dropSession(visit.web.cookies, visit.reply);
    dropDevice(visit.web.cookies, visit.reply);
    return { to: DELETED };
  });
}

/** A name as a person can type it: pages show several spaces as one, and a letter with an accent has two forms. */
function asTyped(name: string): string {
  return name.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
}

async function showDeletion(visit: MemberVisit, outcome: Outcome | null): Promise<Page> {
  const [{ user }, limits] = await Promise.all([
    visit.memberApi.call('me', {}),
    visit.web.limits(),
  ]);
  const games =
    user.role === 'player' ? 'Your games, if you have published any' : await countGames(visit);
  const canRestore = limits.deleted_game_days > 0;
  return dashboardPage('Delete your account', 'profile', {
    account: user,
    status: outcome?.status ?? 200,
    body: html`<h1>Delete your account</h1>${notice(outcome)}
<section class="panel" aria-labelledby="deleted"><h2 id="deleted">What is deleted</h2>
<div class="prose"><ul><li>${games}: pages, media, releases, preview links and statistics. Players can no longer open or play them.${canRestore && ' Games that you deleted before are removed too. None of them can be restored.'}</li>
<li>Your tokens and trusted publishers. They stop working at once.</li>
<li>Your name, picture, e-mail address and notices, and all your sessions.</li></ul>
<p>Nobody can use the addresses of your games again, not even you with a new account. The audit trail keeps what you did, and reports of your games stay, both without your name. You can sign in again later, with a new and empty account.</p></div></section>
<section class="panel" aria-labelledby="before"><h2 id="before">Before you delete it</h2>
${dataLinks(user)}</section>
<section class="panel" aria-labelledby="confirm"><h2 id="confirm">Confirm the deletion</h2>
<form method="post" action="${ACCOUNT.delete}"><p>A deletion can’t be undone.</p>
<div class="field"><label for="name">To delete your account, type your name: <strong>${user.name}</strong></label><input id="name" name="name" required autocomplete="off"></div>
<p class="actions"><button class="button danger">Delete permanently</button> <a class="button quiet" href="/dashboard/profile">Cancel</a></p></form></section>`,
  });
}

/** The number of the user's games, in words. */
async function countGames({ memberApi }: MemberVisit): Promise<string> {
  const query = { limit: String(COUNTED) };
  const { games, next_cursor } = await memberApi.call('projects', { query });
  if (next_cursor !== null) return `Your games, more than ${COUNTED}`;
  return games.length === 1 ? 'Your game' : `Your ${games.length} games`;
}

/** Does the work. If the API does not have the route, or is at work for the user already, shows the profile with a message. */
async function unlessRefused(visit: MemberVisit, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code === null) throw error;
    if (error.code === 'busy') {
      return await showProfile(visit, { status: 503, text: asSentence(error.message) }, null);
    }
    if (error.status !== 404 && error.status !== 405) throw error;
    return await showProfile(visit, OUTDATED, null);
  }
}
