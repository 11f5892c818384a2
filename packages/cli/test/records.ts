// A game, one of its releases and the limits, as in the platform's responses.
import { type Answer, json, ME } from './faulty-platform.ts';

export const ID = '0197a1a0-0000-7000-8000-00000000000a';

export const GAME = {
  id: ID,
  developer_uid: ME.user.uid,
  title: 'Cats',
  slug: 'cats',
  engine: 'html5',
  tagline: null,
  tags: [],
  category: null,
  status: 'published',
  version: '2',
  build_url: null,
  cover_url: null,
  play_url: 'http://play.example/cats/',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  published_at: '2026-01-01T00:00:00.000Z',
} as const;

export const RELEASE = {
  id: '0197a1a0-0000-7000-8000-00000000000b',
  version: '2',
  notes: null,
  created_at: '2026-01-02T03:04:05.000Z',
  live: false,
  zip_bytes: 1024,
  expanded_bytes: 4096,
  file_count: 7,
  digest: 'sha256:0',
  isolation: 'none',
} as const;

/** The answer of `GET /limits`. A platform that is too old for a feature does not state the limit of it. */
export const limitsAre = (limits: object): Answer =>
  json(200, { limits, engines: [], categories: [], scopes: [] });
