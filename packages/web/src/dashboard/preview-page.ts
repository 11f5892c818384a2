// The preview of a game's page as visitors see it, from the stored page or from the unsaved form of the editor.
import { CATEGORIES } from '@svc/contracts/platform';
import { type GameView, showGame } from '../games/game-view.ts';
import { accentColours } from '../page/accent-colours.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam, sentForm, wantsJson } from '../visit/visit.ts';
import { readEngine } from './forms/engine.ts';
import type { DeveloperVisit } from './member.ts';
import { asForm, readMetadata } from './page-form.ts';

const RELEASES = '20';

/**
 * The preview of the stored page (GET) or of a submitted form (POST), as a page or as JSON for the island. Nothing is
 * saved.
 */
export async function previewPage(visit: DeveloperVisit): Promise<Answer> {
  const params = { id: pathParam(visit, 'id') };
  const [project, { releases }] = await Promise.all([
    visit.memberApi.call('project', { params }),
    visit.memberApi.call('releases', { params, query: { limit: RELEASES } }),
  ]);
  const form = visit.request.method === 'POST' ? sentForm(visit) : asForm(project);
  const { uid, name, avatar, created_at } = visit.account;
  const { tagline = null, description = null, category = null, tags, layout } = readMetadata(form);
  const words = { tagline, category, tags: tags ?? [] };
  const view: GameView = {
    game: {
      ...project.game,
      ...words,
      title: form.get('title')?.trim() || 'Untitled',
      engine: readEngine(form.get('engine')),
    },
    developer: { uid, name, avatar, created_at },
    page: { ...project.page, ...words, description, layout: layout ?? project.page.layout },
    category: CATEGORIES.find(({ id }) => id === category) ?? null,
    releases,
    embed: { url: project.game.play_url ?? visit.web.origin, allow: '' },
  };
  const publicVisit = { ...visit, session: null };
  const { title, body } = showGame(publicVisit, view, { isPlaying: false, viewer: 'preview' });
  const { theme, accent } = view.page.layout;
  const headers = { 'cache-control': 'private, no-store' };
  if (!wantsJson(visit)) return { title, theme, accent, body, isPreview: true, headers };
  const parts = { theme, colours: accentColours(accent), body: body.text };
  return { type: 'application/json; charset=utf-8', content: JSON.stringify(parts), headers };
}
