// What others see of a person, and what only they see.
import type { Account, PlatformLimits } from '@svc/contracts/platform';
import { html } from '../html/html.ts';
import type { Page } from '../html/page.ts';
import type { Answer } from '../route.ts';
import { keepSession } from '../session/session-cookie.ts';
import { face } from '../store/words.ts';
import { sentForm } from '../visit.ts';
import { dashboardPage } from './dashboard-page.ts';
import { doneNotice, notice, refusal, type Told, textField } from './form-parts.ts';
import type { MemberVisit } from './member.ts';

export async function profilePage(visit: MemberVisit): Promise<Page> {
  const { user } = await visit.own.call('me', {});
  const told = doneNotice(visit.url, { saved: 'Saved.' });
  return showProfile(user, user.name, user.avatar ?? '', told, await visit.web.limits());
}

export async function saveProfile(visit: MemberVisit): Promise<Answer> {
  const form = sentForm(visit);
  const [name, avatar] = [form.get('name')?.trim() ?? '', form.get('avatar')?.trim() ?? ''];
  try {
    const body = { name, avatar: avatar === '' ? null : avatar };
    const { user } = await visit.own.call('editProfile', { body });
    await keepSession(visit.web.cookies, visit.reply, { ...visit.session, name: user.name });
    return { to: '/dashboard/profile?done=saved' };
  } catch (error) {
    const told = refusal(error);
    const { user } = await visit.own.call('me', {});
    return showProfile(user, name, avatar, told, await visit.web.limits());
  }
}

function showProfile(
  user: Account,
  name: string,
  avatar: string,
  told: Told | null,
  limits: PlatformLimits,
): Page {
  return dashboardPage('Profile', 'profile', {
    status: told?.status ?? 200,
    body: html`<h1>Profile</h1>${notice(told)}
<div class="person">${face(user, 72)}<div><strong>${user.name}</strong><p class="quiet-text">${user.role}${user.email !== null && ` · ${user.email} (only you see this)`}</p>${user.role === 'developer' && html`<p><a href="/devs/${user.uid}">Your public page</a></p>`}</div></div>
<form class="form panel" method="post" action="/dashboard/profile">
${textField({ name: 'name', label: 'Name', value: name, required: true, maxLength: limits.name_characters })}
${textField({ name: 'avatar', label: 'Address of an avatar', value: avatar, type: 'url', placeholder: 'https://…', hint: 'An https address of a square picture. Visitors’ browsers load it from there.' })}
<p class="actions"><button class="button">Save</button></p></form>`,
  });
}
