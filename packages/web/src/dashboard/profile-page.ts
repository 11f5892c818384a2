// The profile of the signed-in user: name, avatar, role, e-mail address and choice of e-mail.
import type { Account, MailChoices, PlatformLimits } from '@svc/contracts/platform';
import { avatarImage } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';
import { formatBytes } from '../html/sizes.ts';
import type { Page } from '../page/page.ts';
import type { Answer } from '../routes/route.ts';
import { keepSession } from '../session/session-cookie.ts';
import { sentForm } from '../visit/visit.ts';
import { accountPanel } from './account-panel.ts';
import { dashboardPage } from './dashboard-page.ts';
import { textField } from './forms/fields.ts';
import { describeDone, describeRejection, notice, type Outcome } from './forms/outcome.ts';
import type { MemberVisit } from './member.ts';
import { streamThrough } from './stream-through.ts';

const PATH = '/dashboard/profile';
const ROLE_NAMES: Readonly<Record<string, string>> = { admin: 'administrator' };
const IMAGES = 'image/png,image/jpeg,image/webp,image/avif';
const DONE = {
  saved: 'Saved.',
  picture: 'The picture has been saved. It is shown on your public page and with your games.',
  removed: 'The picture has been removed. The first letter of your name is shown instead.',
};

export async function profilePage(visit: MemberVisit): Promise<Page> {
  return showProfile(visit, describeDone(visit.url, DONE), null);
}

/** Saves the name and the choice of e-mail. If the API rejects it, the form is shown again with the input. */
export async function saveProfile(visit: MemberVisit): Promise<Answer> {
  const form = sentForm(visit);
  const name = form.get('name')?.trim() ?? '';
  const mail = readMail(form);
  try {
    const { user } = await visit.memberApi.call('editProfile', {
      body: { name, ...(mail !== null && { mail }) },
    });
    await keepSession(visit.web.cookies, visit.reply, { ...visit.session, name: user.name });
    return { to: `${PATH}?done=saved` };
  } catch (error) {
    return showProfile(visit, describeRejection(error), { name, mail });
  }
}

/** Uploads an avatar. The form is streamed to the API unchanged. */
export async function uploadAvatar(visit: MemberVisit): Promise<Answer> {
  try {
    await visit.uploadApi.call('uploadAvatar', { form: streamThrough(visit) });
    return { to: `${PATH}?done=picture` };
  } catch (error) {
    // Only the picture can be invalid, so the message of the error is sufficient.
    const { status, text } = describeRejection(error);
    return showProfile(visit, { status, text }, null);
  }
}

/** Removes the avatar. */
export async function removeAvatar(visit: MemberVisit): Promise<Answer> {
  await visit.memberApi.call('removeAvatar', {});
  return { to: `${PATH}?done=removed` };
}

/** The choice of e-mail in the form; null if the form had none. A box that is not checked is missing from the form. */
function readMail(form: URLSearchParams): MailChoices | null {
  if (!form.has('mail')) return null;
  const chosen = form.getAll('mail');
  return {
    reports: chosen.includes('reports'),
    releases: chosen.includes('releases'),
    sign_ins: chosen.includes('sign_ins'),
  };
}

/** What a user has sent. */
type Typed = { readonly name: string; readonly mail: MailChoices | null };

/** The page. `outcome` is that of an action. `typed` is rejected input for the form; null for the stored profile. */
export async function showProfile(
  visit: MemberVisit,
  outcome: Outcome | null,
  typed: Typed | null,
): Promise<Page> {
  const [{ user }, limits] = await Promise.all([
    visit.memberApi.call('me', {}),
    visit.web.limits(),
  ]);
  return dashboardPage('Profile', 'profile', {
    account: user,
    status: outcome?.status ?? 200,
    islands: ['profile'],
    body: html`<h1>Profile</h1>${notice(outcome)}
<div class="person"><div><strong>${user.name}</strong><p class="quiet-text">${ROLE_NAMES[user.role] ?? user.role}${user.email !== null && ` · ${user.email} (visible only to you)`}</p>${user.role !== 'player' && html`<p><a href="/devs/${user.uid}">Your public page</a></p>`}</div></div>
${pictureForms(user, limits)}
<form class="form panel" method="post" action="${PATH}">
${textField({ name: 'name', label: 'Name', value: typed?.name ?? user.name, required: true, maxLength: limits.name_characters, outcome })}
${user.mail !== undefined && mailChoices(typed?.mail ?? user.mail, user.email)}
<p class="actions"><button class="button">Save</button></p></form>
${accountPanel(user)}`,
  });
}

const MAILS = [
  ['reports', 'Reports of games'],
  ['releases', 'New releases of my games'],
  ['sign_ins', 'Sign-ins on new devices, and new tokens'],
] as const;

/** The choice of e-mail. The hidden field marks a form that has the boxes. */
function mailChoices(choices: MailChoices, email: string | null): Html {
  if (email === null) {
    return html`<p class="quiet-text">The identity provider has given no verified e-mail address of yours, so no e-mail can be sent to you. Your <a href="/dashboard/notices">notices</a> are in the dashboard.</p>`;
  }
  return html`<fieldset class="field"><legend>E-mail me about</legend><input type="hidden" name="mail" value="">${MAILS.map(
    ([name, label]) =>
      html`<label class="check"><input type="checkbox" name="mail" value="${name}"${choices[name] && html` checked`}> <span>${label}</span></label>`,
  )}<p class="hint">E-mail about take-downs and suspensions is always sent. Everything is also in your <a href="/dashboard/notices">notices</a>.</p></fieldset>`;
}

function pictureForms(user: Account, limits: PlatformLimits): Html {
  return html`<section class="panel" aria-labelledby="picture"><h2 id="picture">Picture</h2>
<div class="picture-desk"><div class="picture-shown" data-preview>${avatarImage(user, 96)}</div>
<div><form method="post" action="${PATH}/avatar" enctype="multipart/form-data" data-picture><div class="field"><label for="avatar">${user.avatar === null ? 'Choose a picture' : 'Choose another picture'}</label>
<input id="avatar" type="file" name="avatar" accept="${IMAGES}" required aria-describedby="avatar-hint">
<p class="hint" id="avatar-hint">PNG, JPEG, WebP or AVIF, at most ${formatBytes(limits.image_bytes)}. It is cropped to a square around its center. It is public.</p></div>
<p class="picture-message" role="status" data-message></p>
<p class="actions"><button class="button">Upload</button>${user.avatar !== null && html`<button class="button quiet" form="remove-picture">Remove the picture</button>`}</p></form>
${user.avatar !== null && html`<form id="remove-picture" method="post" action="${PATH}/avatar/remove"></form>`}</div></div></section>`;
}
