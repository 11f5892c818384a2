// The profile of the signed-in user: name, avatar, role and e-mail address.
import type { Account, PlatformLimits } from '@svc/contracts/platform';
import { avatarImage } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';
import { formatBytes } from '../html/sizes.ts';
import type { Page } from '../page/page.ts';
import type { Answer } from '../routes/route.ts';
import { keepSession } from '../session/session-cookie.ts';
import { sentForm } from '../visit/visit.ts';
import { dashboardPage, isAdmin } from './dashboard-page.ts';
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

/** Saves the name. If the API rejects it, the form is shown again with the input. */
export async function saveProfile(visit: MemberVisit): Promise<Answer> {
  const name = sentForm(visit).get('name')?.trim() ?? '';
  try {
    const { user } = await visit.memberApi.call('editProfile', { body: { name } });
    await keepSession(visit.web.cookies, visit.reply, { ...visit.session, name: user.name });
    return { to: `${PATH}?done=saved` };
  } catch (error) {
    return showProfile(visit, describeRejection(error), name);
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

/** The page. `typed` is a rejected name for the form; null for the stored name. */
async function showProfile(
  visit: MemberVisit,
  outcome: Outcome | null,
  typed: string | null,
): Promise<Page> {
  const [{ user }, limits] = await Promise.all([
    visit.memberApi.call('me', {}),
    visit.web.limits(),
  ]);
  return dashboardPage('Profile', 'profile', {
    isAdmin: isAdmin(user),
    status: outcome?.status ?? 200,
    islands: ['profile'],
    body: html`<h1>Profile</h1>${notice(outcome)}
<div class="person"><div><strong>${user.name}</strong><p class="quiet-text">${ROLE_NAMES[user.role] ?? user.role}${user.email !== null && ` · ${user.email} (visible only to you)`}</p>${user.role !== 'player' && html`<p><a href="/devs/${user.uid}">Your public page</a></p>`}</div></div>
${pictureForms(user, limits)}
<form class="form panel" method="post" action="${PATH}">
${textField({ name: 'name', label: 'Name', value: typed ?? user.name, required: true, maxLength: limits.name_characters, outcome })}
<p class="actions"><button class="button">Save</button></p></form>`,
  });
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
