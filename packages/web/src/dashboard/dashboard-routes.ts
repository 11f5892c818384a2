// The pages and actions for signed-in users.
import type { Routes } from '../routes/route.ts';
import { deleteAccount, deletionPage, exportData, signOutEverywhere } from './account-actions.ts';
import { ACCOUNT } from './account-panel.ts';
import { becomeDeveloper } from './become-developer.ts';
import { arrangeMedia, uploadMedia } from './change-media.ts';
import { removalPage, removeForGood, restoreGame } from './deleted-game-actions.ts';
import { editPage, savePage } from './edit-page.ts';
import { DELETED, deletedPage, SIGNED_OUT, signedOutPage } from './farewell-pages.ts';
import { AVATAR_MS, asDeveloper, asMember, UPLOAD_MS } from './member.ts';
import { noticesPage, readNotices } from './notices-page.ts';
import { previewPage } from './preview-page.ts';
import { profilePage, removeAvatar, saveProfile, uploadAvatar } from './profile-page.ts';
import {
  addPublisher,
  changeSlug,
  createLink,
  deleteProject,
  deleteRelease,
  offerRelease,
  promoteRelease,
  removePublisher,
  revokeLink,
  rollbackRelease,
  unpublishProject,
  withdrawRelease,
} from './project-actions.ts';
import { projectPage } from './project-page.ts';
import { createProject, newProjectPage, projectsPage } from './projects-page.ts';
import { createToken, revokeToken, tokensPage } from './tokens-page.ts';
import { uploadBuild } from './upload-build.ts';
import { openUpload, publishUpload, sendPart } from './upload-parts.ts';

export function registerDashboard({ get, post }: Routes): void {
  const upload = { requestMs: UPLOAD_MS };
  const game = '/dashboard/games/:id';
  get('/dashboard', asDeveloper(projectsPage));
  post('/dashboard/become-developer', asMember(becomeDeveloper));
  get('/dashboard/new', asDeveloper(newProjectPage));
  post('/dashboard/new', asDeveloper(createProject));
  get(game, asDeveloper(projectPage));
  get(`${game}/page`, asDeveloper(editPage));
  post(`${game}/page`, asDeveloper(savePage));
  get(`${game}/preview`, asDeveloper(previewPage));
  post(`${game}/preview`, asDeveloper(previewPage));
  post(`${game}/media`, asDeveloper(uploadMedia), upload);
  post(`${game}/arrange`, asDeveloper(arrangeMedia));
  post(`${game}/upload`, asDeveloper(uploadBuild), upload);
  post(`${game}/rollback`, asDeveloper(rollbackRelease));
  post(`${game}/promote`, asDeveloper(promoteRelease));
  post(`${game}/create-link`, asDeveloper(createLink));
  post(`${game}/revoke-link`, asDeveloper(revokeLink));
  post(`${game}/offer-release`, asDeveloper(offerRelease));
  post(`${game}/withdraw-release`, asDeveloper(withdrawRelease));
  post(`${game}/trust`, asDeveloper(addPublisher));
  post(`${game}/untrust`, asDeveloper(removePublisher));
  post(`${game}/slug`, asDeveloper(changeSlug));
  post(`${game}/unpublish`, asDeveloper(unpublishProject));
  post(`${game}/delete-release`, asDeveloper(deleteRelease));
  post(`${game}/delete`, asDeveloper(deleteProject));
  const deleted = '/dashboard/deleted-games/:id';
  post(`${deleted}/restore`, asDeveloper(restoreGame));
  get(`${deleted}/remove`, asDeveloper(removalPage));
  post(`${deleted}/remove`, asDeveloper(removeForGood));
  get('/dashboard/tokens', asDeveloper(tokensPage));
  post('/dashboard/tokens', asDeveloper(createToken));
  post('/dashboard/tokens/revoke', asDeveloper(revokeToken));
  get('/dashboard/notices', asMember(noticesPage));
  post('/dashboard/notices/read', asMember(readNotices));
  get('/dashboard/profile', asMember(profilePage));
  post('/dashboard/profile', asMember(saveProfile));
  post('/dashboard/profile/avatar', asMember(uploadAvatar, AVATAR_MS), upload);
  post('/dashboard/profile/avatar/remove', asMember(removeAvatar));
  get(ACCOUNT.export, asMember(exportData), upload);
  post(ACCOUNT.endSessions, asMember(signOutEverywhere));
  get(ACCOUNT.delete, asMember(deletionPage));
  post(ACCOUNT.delete, asMember(deleteAccount));
  get(SIGNED_OUT, signedOutPage);
  get(DELETED, deletedPage);
}

/** The calls of an upload in parts. Their bodies are not parsed. The API checks that the member is a developer. */
export function registerUploads({ post }: Routes): void {
  const upload = { requestMs: UPLOAD_MS };
  const uploads = '/dashboard/games/:id/uploads';
  post(uploads, asMember(openUpload), upload);
  post(`${uploads}/:upload/parts/:part`, asMember(sendPart), upload);
  post(`${uploads}/:upload/publish`, asMember(publishUpload), upload);
}
