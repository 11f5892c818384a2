// The pages of people who are signed in.
import type { App } from '@svc/serve';
import { get, post } from '../routes/route.ts';
import type { Web } from '../visit/web.ts';
import { becomeDeveloper } from './become-developer.ts';
import { arrangeMedia, uploadMedia } from './change-media.ts';
import { editPage, savePage } from './edit-page.ts';
import { asDeveloper, asMember, PICTURE_MS, UPLOAD_MS } from './member.ts';
import { previewPage } from './preview-page.ts';
import { profilePage, removeAvatar, saveProfile, uploadAvatar } from './profile-page.ts';
import {
  deleteProject,
  deleteRelease,
  projectPage,
  rollbackRelease,
  unpublishProject,
} from './project-page.ts';
import { createProject, newProjectPage, projectsPage } from './projects-page.ts';
import { createToken, revokeToken, tokensPage } from './tokens-page.ts';
import { uploadBuild } from './upload-build.ts';

export function registerDashboard(app: App, web: Web): void {
  const upload = { requestMs: UPLOAD_MS };
  const game = '/dashboard/games/:id';
  get(app, web, '/dashboard', asDeveloper(projectsPage));
  post(app, web, '/dashboard/become-developer', asMember(becomeDeveloper));
  get(app, web, '/dashboard/new', asDeveloper(newProjectPage));
  post(app, web, '/dashboard/new', asDeveloper(createProject));
  get(app, web, game, asDeveloper(projectPage));
  get(app, web, `${game}/page`, asDeveloper(editPage));
  post(app, web, `${game}/page`, asDeveloper(savePage));
  get(app, web, `${game}/preview`, asDeveloper(previewPage));
  post(app, web, `${game}/preview`, asDeveloper(previewPage));
  post(app, web, `${game}/media`, asDeveloper(uploadMedia), upload);
  post(app, web, `${game}/arrange`, asDeveloper(arrangeMedia));
  post(app, web, `${game}/upload`, asDeveloper(uploadBuild), upload);
  post(app, web, `${game}/rollback`, asDeveloper(rollbackRelease));
  post(app, web, `${game}/unpublish`, asDeveloper(unpublishProject));
  post(app, web, `${game}/delete-release`, asDeveloper(deleteRelease));
  post(app, web, `${game}/delete`, asDeveloper(deleteProject));
  get(app, web, '/dashboard/tokens', asDeveloper(tokensPage));
  post(app, web, '/dashboard/tokens', asDeveloper(createToken));
  post(app, web, '/dashboard/tokens/revoke', asDeveloper(revokeToken));
  get(app, web, '/dashboard/profile', asMember(profilePage));
  post(app, web, '/dashboard/profile', asMember(saveProfile));
  post(app, web, '/dashboard/profile/avatar', asMember(uploadAvatar, PICTURE_MS), upload);
  post(app, web, '/dashboard/profile/avatar/remove', asMember(removeAvatar));
}
