// The fields of each record, and which of them may be null.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TObject } from 'typebox';
import { Check } from 'typebox/value';
import {
  Account,
  AdminGame,
  AdminUser,
  AuditRecord,
  AuthKind,
  BuildFile,
  BuildFinding,
  Category,
  DayStats,
  DEFAULT_LAYOUT,
  DeletedGame,
  Game,
  MailChoices,
  Media,
  MediaVariant,
  MissingFile,
  Notice,
  PageLayout,
  Preview,
  Provenance,
  Publisher,
  Release,
  ReleaseDiff,
  Report,
  Restriction,
  SignInProvider,
  StorePage,
  Token,
  User,
} from '../src/platform.ts';

const id = '01900000-0000-7000-8000-000000000001';
const time = '2026-01-01T00:00:00.000Z';
const url = 'https://media.example/a.webp';
const variant = { url, type: 'image/webp', width: 480, height: 270 };
const provenance = {
  ...{ issuer: url, subject: 'x', repository: 'a/b', ref: 'main', commit: 'x' },
  ...{ commit_url: url, run_url: url },
};
const media = {
  id,
  kind: 'image',
  url,
  type: 'image/png',
  width: 1,
  height: 1,
  bytes: 0,
  alt: 'A cat',
  variants: [variant],
};
const user = { uid: id, name: 'Ada', avatar: url, created_at: time };

/** A record of each kind with all its fields, which of them may be null, and which are optional. */
const RECORDS: readonly (readonly [
  schema: TObject,
  example: Readonly<Record<string, unknown>>,
  nullable: readonly string[],
  optional?: readonly string[],
])[] = [
  [User, user, ['avatar']],
  [
    Account,
    {
      ...{ ...user, email: 'ada@example.com', role: 'player', sessions_ended_at: time },
      quota: { projects: 5, project_bytes: 1000 },
      mail: { reports: true, releases: false, sign_ins: true },
      ...{ unread_notices: 1, open_reports: 2 },
    },
    ['avatar', 'email', 'sessions_ended_at'],
    ['sessions_ended_at', 'quota', 'mail', 'unread_notices', 'open_reports'],
  ],
  [
    SignInProvider,
    { issuer: url, name: 'x', client_id: 'x', cli_client_id: 'x', offline_access: false },
    [],
    ['offline_access'],
  ],
  [MailChoices, { reports: true, releases: false, sign_ins: true }, []],
  [
    Report,
    {
      ...{ id, created_at: time, game: { id, title: 'x', slug: 'x', url: null } },
      ...{ developer: { uid: id, name: 'x' }, version: '1', reason: 'broken', text: 'x' },
      resolved: { at: time, by: { uid: null, name: 'root' }, outcome: 'acted', note: null },
    },
    ['version', 'text', 'resolved'],
  ],
  [
    Notice,
    {
      ...{ id, at: time, kind: 'game_reported', game: { id, title: 'x', slug: 'x' } },
      ...{ version: '1', detail: 'broken', read: false },
    },
    ['game', 'version', 'detail'],
  ],
  [Restriction, { at: time, reason: 'x' }, ['reason']],
  [
    AdminUser,
    {
      ...{ ...user, email: 'ada@example.com', role: 'admin', issuer: url, subject: 'x' },
      ...{ suspended: { at: time, reason: null }, sessions_ended_at: time, projects: 0 },
      quota: { projects: null, project_bytes: null },
    },
    ['avatar', 'email', 'suspended', 'sessions_ended_at'],
  ],
  [
    AdminGame,
    {
      ...{ id, title: 'x', slug: 'x', url, developer: { uid: id, name: 'x' }, status: 'draft' },
      ...{ version: '1', created_at: time, updated_at: time, bytes: 0 },
      taken_down: { at: time, reason: 'x' },
      release_taken_down: { at: time, reason: 'x' },
      developer_suspended: { at: time, reason: 'x' },
      deleted_at: time,
    },
    ['version', 'taken_down', 'release_taken_down', 'developer_suspended', 'deleted_at'],
    ['deleted_at'],
  ],
  [DeletedGame, { id, title: 'x', slug: 'x', deleted_at: time, removed_at: time, bytes: 0 }, []],
  [
    AuditRecord,
    {
      ...{ id, at: time, actor: { uid: null, name: 'root', token_id: null } },
      ...{ action: 'game.taken_down', subject: id, subject_name: 'x', detail: 'x' },
    },
    ['actor', 'subject_name', 'detail'],
  ],
  [
    Token,
    {
      id,
      name: 'ci',
      scopes: ['read'],
      projects: [id],
      created_at: time,
      expires_at: time,
      last_used_at: time,
      revoked_at: time,
      hint: '0123abcd',
    },
    ['projects', 'expires_at', 'last_used_at', 'revoked_at'],
  ],
  [
    Game,
    {
      id,
      developer_uid: id,
      title: 'Moon Hop',
      slug: 'moon-hop',
      engine: 'html5',
      tagline: 'x',
      tags: ['2d'],
      category: 'action',
      status: 'published',
      version: '1',
      build_url: url,
      cover_url: url,
      cover_variants: [variant],
      play_url: url,
      created_at: time,
      updated_at: time,
      published_at: time,
      taken_down: { at: time, reason: 'x' },
    },
    [
      ...['tagline', 'category', 'version', 'build_url', 'cover_url', 'play_url'],
      ...['published_at', 'taken_down'],
    ],
    ['cover_variants', 'taken_down'],
  ],
  [
    Release,
    {
      id,
      version: '1',
      notes: 'x',
      created_at: time,
      live: true,
      staged: false,
      provenance,
      playable: false,
      play_url: url,
      zip_bytes: 0,
      expanded_bytes: 0,
      file_count: 0,
      digest: 'sha256:0',
      isolation: 'none',
      taken_down: { at: time, reason: 'x' },
    },
    ['notes', 'provenance', 'play_url', 'taken_down'],
    ['staged', 'provenance', 'playable', 'play_url', 'taken_down'],
  ],
  [
    Preview,
    {
      ...{ id, name: 'pr-1', version: '1', url },
      ...{ created_at: time, expires_at: time, last_used_at: time },
    },
    ['name', 'last_used_at'],
  ],
  [Provenance, provenance, ['repository', 'ref', 'commit', 'commit_url', 'run_url']],
  [
    Publisher,
    {
      ...{ id, provider: 'github', issuer: url, audience: 'x', repository: 'a/b' },
      ...{ repository_id: '1', subject: 'x', branch: 'x', environment: 'x', workflow: 'x.yml' },
      ...{ created_at: time, last_used_at: time },
    },
    [
      ...['repository', 'repository_id', 'subject', 'branch', 'environment', 'workflow'],
      'last_used_at',
    ],
  ],
  [
    DayStats,
    {
      ...{ day: '2026-11-26', views: 0, plays: 0, store_plays: 0, bytes: 0, missing: 0 },
      releases: [{ version: '1', plays: 0 }],
    },
    [],
  ],
  [MissingFile, { path: 'a.png', count: 0 }, []],
  [Media, media, ['width', 'height', 'alt']],
  [MediaVariant, variant, []],
  [
    PageLayout,
    { ...DEFAULT_LAYOUT, accent: '#3366ff', orientation: 'landscape' },
    ['accent'],
    ['orientation'],
  ],
  [
    StorePage,
    {
      tagline: 'x',
      description: 'x',
      category: 'action',
      tags: [],
      layout: DEFAULT_LAYOUT,
      banner: media,
      cover: media,
      screenshots: [media],
      trailer: { ...media, kind: 'video', width: null, height: null },
    },
    ['tagline', 'description', 'category', 'banner', 'cover', 'trailer'],
  ],
  [Category, { id: 'action', name: 'Action' }, []],
  [ReleaseDiff, { new: ['a'], changed: [], same: [], gone: [] }, []],
  [BuildFile, { path: 'a', type: 'text/css', encoding: 'br', bytes: 0 }, ['encoding']],
  [BuildFinding, { code: 'a', rule: 'b', entry: 'c', message: 'd', hint: 'e' }, ['entry', 'hint']],
];

test('each record has its fields; some may be null, and almost none may be absent', () => {
  for (const [schema, example, nullable, optional = []] of RECORDS) {
    assert.equal(Check(schema, example), true, JSON.stringify(example));
    const fields = Object.keys(schema.properties);
    assert.deepEqual(Object.keys(example).sort(), fields.toSorted());
    const nulls = fields.filter((field) => Check(schema, { ...example, [field]: null }));
    assert.deepEqual(nulls.sort(), nullable.toSorted());
    const absent = fields.filter((field) => {
      const { [field]: _, ...rest } = example;
      return Check(schema, rest);
    });
    assert.deepEqual(absent, optional);
  }
});

test('only the record of an account contains its e-mail address and role', () => {
  assert.deepEqual(Object.keys(User.properties), ['uid', 'name', 'avatar', 'created_at']);
});

test('the record of a token does not contain its secret', () => {
  assert.deepEqual(
    Object.keys(Token.properties).filter((name) => /secret|hash|value/.test(name)),
    [],
  );
});

test('sizes are integers from 0, pixels from 1, and enumerations match the lists', () => {
  const rows: [schema: TObject, change: Readonly<Record<string, unknown>>][] = [
    [Release, { zip_bytes: -1 }],
    [Release, { expanded_bytes: 0.5 }],
    [Release, { file_count: -1 }],
    [Release, { isolation: 'unsafe-none' }],
    [Media, { width: 0 }],
    [Media, { bytes: -1 }],
    [Media, { kind: 'audio' }],
    [MediaVariant, { height: 0 }],
    [BuildFile, { encoding: 'deflate' }],
    [BuildFile, { bytes: -1 }],
    [DayStats, { plays: -1 }],
    [DayStats, { bytes: 0.5 }],
    [MissingFile, { count: -1 }],
    [Game, { status: 'deleted' }],
    [Game, { engine: 'none' }],
    [Account, { role: 'owner' }],
    [Report, { reason: 'boring' }],
    [Notice, { kind: 'news' }],
    [Token, { scopes: ['admin'] }],
    [Category, { id: 'none' }],
  ];
  for (const [schema, change] of rows) {
    const [, example = assert.fail()] = RECORDS.find(([one]) => one === schema) ?? [];
    assert.equal(Check(schema, { ...example, ...change }), false, JSON.stringify(change));
  }
});

test('AuthKind is a session, or a token with its scopes and projects', () => {
  const token = {
    kind: 'pat',
    token_id: id,
    name: 'ci',
    scopes: ['publish'],
    projects: null,
    expires_at: null,
  };
  for (const auth of [{ kind: 'session' }, token, { ...token, projects: [id], expires_at: time }]) {
    assert.equal(Check(AuthKind, auth), true);
  }
  for (const auth of [
    {},
    { kind: 'pat' },
    { ...token, kind: 'other' },
    { ...token, scopes: null },
  ]) {
    assert.equal(Check(AuthKind, auth), false, JSON.stringify(auth));
  }
});
