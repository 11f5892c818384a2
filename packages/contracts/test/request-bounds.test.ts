// Valid requests: each limit at its last value and one beyond, each pattern, and no unknown field.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { AGENT_ROUTES, type AgentRouteName } from '../src/agent.ts';
import {
  PageLayout,
  PLATFORM_LIMITS,
  type PlatformLimits,
  QUERIES,
  REQUESTS,
  requestSchemas,
} from '../src/platform.ts';

/** Bodies that need a version. */
const NAMED_BY_VERSION: ReadonlySet<string> = new Set([
  ...['Rollback', 'Promote', 'CreatePreview', 'PublishUpload'],
]);

type Name = keyof typeof REQUESTS;
type Fields = Readonly<Record<string, unknown>>;

/** Required fields beside the field of a case. */
const BESIDE: Readonly<Partial<Record<Name, Fields>>> = {
  OpenSession: { id_token: 'x' },
  EndProviderSession: { logout_token: 'x' },
  CreateToken: { name: 'ci' },
  CreateProject: { title: 'Moon Hop' },
  ChangeSlug: { slug: 'moon-hop' },
  PublishFields: { version: '1' },
  OpenUpload: { files: [] },
  EditRelease: { playable: true },
  CreatePublisher: { provider: 'other' },
  ReportGame: { reason: 'broken' },
  ResolveReport: { outcome: 'dismissed' },
  ReadNotices: { last: 'x' },
  ExchangeToken: {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: 'x',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    audience: 'x',
  },
};

function takes(name: Name, fields: Fields, limits: PlatformLimits = PLATFORM_LIMITS): boolean {
  return Check(requestSchemas(limits)[name] as TSchema, { ...BESIDE[name], ...fields });
}

function assertTaken(name: Name, taken: readonly Fields[], refused: readonly Fields[]): void {
  for (const fields of taken) assert.equal(takes(name, fields), true, JSON.stringify(fields));
  for (const fields of refused) assert.equal(takes(name, fields), false, JSON.stringify(fields));
}

const text = (length: number): string => 'x'.repeat(length);
const words = (count: number): string[] => Array.from({ length: count }, (_, i) => `tag${i}`);

test('each limit of a server applies to its fields', () => {
  const most: Readonly<
    Partial<Record<keyof PlatformLimits, readonly [Name, (length: number) => Fields][]>>
  > = {
    title_characters: [
      ['CreateProject', (length) => ({ title: text(length) })],
      ['EditProject', (length) => ({ title: text(length) })],
    ],
    tagline_characters: [
      ['CreateProject', (length) => ({ tagline: text(length) })],
      ['EditProject', (length) => ({ tagline: text(length) })],
      ['StoreMetadata', (length) => ({ tagline: text(length) })],
    ],
    description_characters: [
      ['CreateProject', (length) => ({ description: text(length) })],
      ['EditProject', (length) => ({ description: text(length) })],
      ['StoreMetadata', (length) => ({ description: text(length) })],
    ],
    notes_characters: [
      ['PublishFields', (length) => ({ notes: text(length) })],
      ['PublishUpload', (length) => ({ version: '1', notes: text(length) })],
    ],
    name_characters: [
      ['EditProfile', (length) => ({ name: text(length) })],
      ['CreateToken', (length) => ({ name: text(length) })],
    ],
    slug_characters: [
      ['CreateProject', (length) => ({ slug: text(length) })],
      ['ChangeSlug', (length) => ({ slug: text(length) })],
    ],
    tags: [
      ['CreateProject', (length) => ({ tags: words(length) })],
      ['EditProject', (length) => ({ tags: words(length) })],
      ['StoreMetadata', (length) => ({ tags: words(length) })],
    ],
    tag_characters: [['CreateProject', (length) => ({ tags: [text(length)] })]],
    version_characters: [
      ['PublishFields', (length) => ({ version: text(length) })],
      ['Rollback', (length) => ({ version: text(length) })],
    ],
    alt_characters: [['StoreMetadata', (length) => ({ alt: { cover: text(length) } })]],
    publisher_text_characters: [
      ['CreatePublisher', (length) => ({ repository: `a/${text(length - 2)}` })],
      ['CreatePublisher', (length) => ({ subject: text(length) })],
      ['CreatePublisher', (length) => ({ branch: text(length) })],
    ],
    reason_characters: [['ResolveReport', (length) => ({ note: text(length) })]],
    report_characters: [['ReportGame', (length) => ({ text: text(length) })]],
    token_maximum_days: [['CreateToken', (days) => ({ expires_in_days: days })]],
  };
  for (const [limit, cases] of Object.entries(most)) {
    for (const [name, make] of cases) {
      for (const bound of [PLATFORM_LIMITS[limit as keyof PlatformLimits], 7]) {
        const limits = { ...PLATFORM_LIMITS, [limit]: bound };
        assert.equal(takes(name, make(bound), limits), true, `${name}, ${limit} ${bound}`);
        assert.equal(takes(name, make(bound + 1), limits), false, `${name}, ${limit} ${bound}`);
      }
    }
  }
  const least: readonly [keyof PlatformLimits, (length: number) => Fields][] = [
    ['slug_minimum_characters', (length) => ({ slug: text(length) })],
    ['tag_minimum_characters', (length) => ({ tags: [text(length)] })],
  ];
  for (const [limit, make] of least) {
    for (const bound of [PLATFORM_LIMITS[limit], 7]) {
      const limits = { ...PLATFORM_LIMITS, [limit]: bound };
      assert.equal(takes('CreateProject', make(bound), limits), true, limit);
      assert.equal(takes('CreateProject', make(bound - 1), limits), false, limit);
    }
  }
});

test('characters are counted as code points, not as UTF-16 units', () => {
  const limits = { ...PLATFORM_LIMITS, title_characters: 2 };
  assert.equal(takes('CreateProject', { title: '🚀🚀' }, limits), true);
  assert.equal(takes('CreateProject', { title: '🚀🚀🚀' }, limits), false);
});

test('a body contains only known fields', () => {
  // Providers may send other parameters with a logout token.
  assertTaken('EndProviderSession', [{ logout_token: 'x', unknown: 1 }], []);
  const closed = (Object.keys(REQUESTS) as Name[]).filter((name) => name !== 'EndProviderSession');
  for (const name of closed) {
    const least = NAMED_BY_VERSION.has(name) ? { version: '1' } : {};
    assertTaken(
      name,
      [least],
      [
        { ...least, unknown: 1 },
        { ...least, constructor: 1 },
      ],
    );
  }
  const missing: [Name, Fields][] = [
    ['OpenSession', { role: null }],
    ['CreateToken', { scopes: ['read'] }],
    ['CreateProject', { slug: 'moon-hop' }],
    ['PublishFields', { notes: 'x' }],
    ['ChangeSlug', {}],
    ['Rollback', {}],
    ['Promote', {}],
    ['EditRelease', { playable: undefined }],
    ['CreatePreview', { name: 'pr-1' }],
    ['ReportGame', { reason: undefined, text: 'x' }],
    ['ResolveReport', { outcome: undefined, note: 'x' }],
    ['ReadNotices', { last: undefined }],
    ['EndProviderSession', {}],
    ['EndProviderSession', { logout_token: '' }],
  ];
  for (const [name, body] of missing) {
    assert.equal(Check(REQUESTS[name] as TSchema, body), false, name);
  }
});

test('null is accepted only for fields that can be cleared', () => {
  const clearable: Readonly<Record<Name, readonly string[]>> = {
    OpenSession: ['role'],
    EndProviderSession: [],
    EditProfile: ['avatar'],
    CreateToken: ['projects', 'expires_in_days'],
    CreateProject: ['slug', 'engine', 'tagline', 'description', 'tags'],
    EditProject: ['tagline', 'description', 'tags', 'engine'],
    ChangeSlug: [],
    StoreMetadata: [
      ...[
        'tagline',
        'description',
        'category',
        'tags',
        'layout',
        'isolation',
        'profiling',
        'address',
      ],
      ...['screenshots', 'banner', 'cover', 'trailer'],
    ],
    PublishFields: [],
    Rollback: [],
    Promote: [],
    EditRelease: [],
    CreatePublisher: [
      ...['issuer', 'audience', 'repository', 'repository_id', 'subject'],
      ...['branch', 'environment', 'workflow'],
    ],
    ExchangeToken: [],
    CreatePreview: ['name', 'expires_in_days'],
    OpenUpload: [],
    ReportGame: ['text'],
    ResolveReport: ['note'],
    ReadNotices: [],
    EditUser: [],
    SuspendUser: ['reason'],
    TakeDown: ['reason'],
    RestoreGame: [],
    PublishUpload: ['notes'],
  };
  for (const [name, schema] of Object.entries(REQUESTS)) {
    const fields = Object.keys(schema.properties);
    const least = NAMED_BY_VERSION.has(name) ? { version: '1' } : {};
    const cleared = fields.filter((field) => takes(name as Name, { ...least, [field]: null }));
    assert.deepEqual(cleared, clearable[name as Name], name);
  }
  assertTaken('StoreMetadata', [{ alt: { cover: null } }], [{ alt: null }, { alt: { cover: 1 } }]);
  // Null removes a picture. It cannot be set by an address.
  for (const field of ['banner', 'cover', 'trailer']) {
    assertTaken('StoreMetadata', [], [{ [field]: 'https://img.example/a.png' }, { [field]: true }]);
  }
  assertTaken('EditProfile', [{}], [{ avatar: 'https://img.example/a.png' }]);
});

test('texts contain no NUL, and one-line names are not empty', () => {
  const nul = 'a\0b';
  assertTaken('EditProfile', [{ name: 'a' }], [{ name: '' }, { name: nul }]);
  assertTaken('CreateToken', [], [{ name: '' }, { name: nul }]);
  assertTaken(
    'CreateProject',
    [{ tagline: '' }, { description: '' }, { description: 'a\n\tb' }],
    [{ title: '' }, { title: nul }, { tagline: nul }, { description: nul }],
  );
  assertTaken('PublishFields', [{ notes: '' }], [{ notes: nul }, { version: '' }]);
  assertTaken('StoreMetadata', [{ alt: { a: '' } }], [{ alt: { a: nul } }, { tagline: nul }]);
  assertTaken('OpenSession', [], [{ id_token: '' }, { id_token: 1 }]);
});

test('slugs, tags and versions contain only characters for URLs', () => {
  const slugs = ['abc', 'moon-hop', 'a1-b2-c3', '007', 'x'.repeat(63)];
  const noSlugs = ['Abc', '-abc', 'abc-', 'a--b', 'a_b', 'a.b', 'a b', 'abcé', 'abc\n', 'ab'];
  assertTaken(
    'CreateProject',
    slugs.map((slug) => ({ slug })),
    noSlugs.map((slug) => ({ slug })),
  );
  assertTaken(
    'CreateProject',
    [{ tags: [] }, { tags: ['2d', 'a-b'] }],
    [...['A1', 'a_b', 'a b', 'aé', 'ab\n'].map((tag) => ({ tags: [tag] })), { tags: ['ab', 'ab'] }],
  );
  const versions = ['1', '1.2.0', 'v1_a-b+c', '...', '.1', '1.', '1..2'];
  const noVersions = ['.', '..', 'a b', 'a/b', '1\n', 'é', '1%', '1?'];
  for (const name of ['PublishFields', 'Rollback'] as const) {
    assertTaken(
      name,
      versions.map((version) => ({ version })),
      noVersions.map((version) => ({ version })),
    );
  }
});

test('lists and enumerations of a body accept only known values', () => {
  assertTaken(
    'OpenSession',
    [{ role: 'player' }, { role: 'developer' }],
    [{ role: 'admin' }, { role: '' }],
  );
  assertTaken(
    'CreateToken',
    [
      { scopes: ['read', 'publish'] },
      { projects: ['a'] },
      { projects: words(100) },
      { projects: [text(64)] },
      { expires_in_days: 1 },
    ],
    [
      { scopes: [] },
      { scopes: ['read', 'read'] },
      { scopes: ['admin'] },
      { scopes: null },
      { projects: [] },
      { projects: words(101) },
      { projects: ['a', 'a'] },
      { projects: [text(65)] },
      { projects: [''] },
      { projects: ['a\0'] },
      { expires_in_days: 0 },
      { expires_in_days: 1.5 },
      { expires_in_days: '1' },
    ],
  );
  assertTaken('CreateProject', [{ engine: 'godot' }], [{ engine: 'Godot' }, { engine: '' }]);
  assertTaken(
    'StoreMetadata',
    [
      { category: 'visual-novel' },
      ...['none', 'credentialless', 'require-corp'].map((isolation) => ({ isolation })),
      ...[true, false].map((profiling) => ({ profiling })),
      { screenshots: ['new:0', text(64)] },
    ],
    [
      { category: 'none' },
      { isolation: 'unsafe-none' },
      { profiling: 'true' },
      { screenshots: ['a', 'a'] },
      { screenshots: [text(65)] },
    ],
  );
});

test('a layout is complete, and contains each section at most once', () => {
  const layout = { template: 'wide', theme: 'dark', accent: '#3366fF', sections: ['releases'] };
  const all = ['trailer', 'screenshots', 'description', 'releases', 'developer'];
  const taken: Fields[] = [
    ...[{}, { accent: null }, { sections: [] }, { sections: all }],
    ...[{ orientation: 'landscape' }, { orientation: 'portrait' }],
  ];
  const refused: Fields[] = [
    { accent: '#fff' },
    { accent: '#3366ff0' },
    { accent: '3366ff' },
    { accent: '#33667g' },
    { accent: 'red' },
    { theme: 'blue' },
    { template: 'tall' },
    { orientation: 'upside-down' },
    { orientation: null },
    { sections: ['news'] },
    { sections: ['trailer', 'trailer'] },
    { sections: [...all, 'trailer'] },
    { font: 'x' },
  ];
  for (const change of taken) assert.equal(Check(PageLayout, { ...layout, ...change }), true);
  for (const change of refused) {
    assert.equal(Check(PageLayout, { ...layout, ...change }), false, JSON.stringify(change));
  }
  for (const field of Object.keys(layout)) {
    const { [field as keyof typeof layout]: _, ...rest } = layout;
    assert.equal(Check(PageLayout, rest), false, field);
  }
});

test('a query contains only known parameters within their limits', () => {
  const rows: [query: keyof typeof QUERIES, taken: Fields[], refused: Fields[]][] = [
    ['none', [{}], [{ limit: '1' }]],
    [
      'list',
      [{}, { limit: '1' }, { limit: '999999999' }, { cursor: 'x' }, { cursor: text(512) }],
      [
        ...['', '1234567890', '-1', '1.5', '1 ', 'x'].map((limit) => ({ limit })),
        { cursor: '' },
        { cursor: text(513) },
        { slug: 'a' },
      ],
    ],
    [
      'projects',
      [{}, { slug: '' }, { slug: text(64) }, { limit: '2', cursor: 'x' }],
      [{ slug: text(65) }, { slug: 'a\0' }, { category: 'action' }],
    ],
    [
      'home',
      [{}, { category: 'action' }, { tag: '2d' }, { tag: text(24) }],
      [{ category: 'x' }, { tag: 'x' }, { tag: text(25) }, { tag: 'A1' }, { q: 'x' }],
    ],
    [
      'stats',
      [{}, { days: '1' }, { days: '9999' }],
      [{ days: '' }, { days: '10000' }, { days: '-1' }, { days: '1.5' }, { limit: '1' }],
    ],
    [
      'search',
      [{ q: 'x' }, { q: text(200), limit: '5' }],
      [{}, { q: '' }, { q: text(201) }, { q: 'x', cursor: 'x' }],
    ],
    [
      'publish',
      [{}, { dry_run: 'true' }, { dry_run: 'false' }],
      [{ dry_run: '1' }, { dry_run: '' }],
    ],
  ];
  for (const [name, taken, refused] of rows) {
    const takesQuery = (query: Fields): boolean => Check(QUERIES[name] as TSchema, query);
    for (const query of taken) assert.equal(takesQuery(query), true, JSON.stringify([name, query]));
    for (const query of refused) {
      assert.equal(takesQuery(query), false, JSON.stringify([name, query]));
    }
  }
});

test('the agent’s bodies for an analysis, notes, a key and its removal have limits, and accept no other fields', () => {
  const digest = 'a0'.repeat(32);
  const asked = { offline: false, model: 'openai/x' };
  const note = (more: Fields = {}): Fields => ({ id: 1, t: 1, text: 'x', ...more });
  const rows: [route: AgentRouteName, taken: Fields[], refused: Fields[]][] = [
    [
      'analyze',
      [
        { offline: true },
        { offline: true, budget_ms: 0.001 },
        { offline: true, budget_ms: 60_000 },
        asked,
        { ...asked, model: text(256), summary_sha256: digest, budget_ms: 5 },
      ],
      [
        {},
        { offline: 1 },
        { offline: true, model: 'x' },
        { offline: true, summary_sha256: digest },
        { offline: true, budget_ms: 0 },
        { offline: true, budget_ms: 60_001 },
        { offline: true, more: 1 },
        { offline: false },
        { ...asked, model: '' },
        { ...asked, model: text(257) },
        { ...asked, summary_sha256: digest.slice(1) },
        { ...asked, summary_sha256: `${digest}0` },
        { ...asked, summary_sha256: digest.toUpperCase() },
        { ...asked, budget_ms: -1 },
        { ...asked, more: 1 },
      ],
    ],
    [
      'key',
      [{ key: '!' }, { key: '~'.repeat(4096) }, { key: 'x', provider: `a${'1-'.repeat(15)}b` }],
      [
        {},
        { key: '' },
        { key: text(4097) },
        { key: 'a b' },
        { key: 'é' },
        { key: 'a\n' },
        { key: 'x', provider: 'OpenAI' },
        { key: 'x', provider: '1a' },
        { key: 'x', provider: '' },
        { key: 'x', provider: text(33) },
        { key: 'x', more: 1 },
      ],
    ],
    [
      'add_notes',
      [
        { notes: [note()] },
        { notes: Array.from({ length: 100 }, () => note()) },
        ...[0, Number.MAX_SAFE_INTEGER, 'a', text(200), '😀'.repeat(200), '\n\0'].map((id) => ({
          notes: [note({ id })],
        })),
        ...[0, 0.0001, 9_007_199_254_740].flatMap((t) => [
          { notes: [note({ t })] },
          { notes: [note({ duration_ms: t })] },
        ]),
        ...['', text(16_384), '😀'.repeat(16_384), 'a\n\0b'].map((one) => ({
          notes: [note({ text: one })],
        })),
      ],
      [
        {},
        { notes: [] },
        { notes: note() },
        { notes: [null] },
        { notes: Array.from({ length: 101 }, () => note()) },
        { notes: [note()], more: 1 },
        { notes: [note({ more: 1 })] },
        { notes: [note({ source: 'native' })] },
        ...['id', 't', 'text'].map((key) => {
          const { [key]: _, ...rest } = note();
          return { notes: [rest] };
        }),
        ...[-1, 0.5, 2 ** 53, '', text(201), '\ud800', 'a\udc00b', null, true, []].map((id) => ({
          notes: [note({ id })],
        })),
        ...[-0.001, 9_007_199_254_740.5, '1', null].flatMap((t) => [
          { notes: [note({ t })] },
          { notes: [note({ duration_ms: t })] },
        ]),
        ...[text(16_385), '\ud800', 'a\udc00b', 5, null].map((one) => ({
          notes: [note({ text: one })],
        })),
      ],
    ],
    ['key_remove', [{}, { provider: 'openai' }], [{ provider: 'a b' }, { key: 'x' }]],
  ];
  for (const [name, taken, refused] of rows) {
    const takesBody = (body: Fields): boolean => Check(AGENT_ROUTES[name].body, body);
    for (const body of taken) assert.equal(takesBody(body), true, JSON.stringify(body));
    for (const body of refused) assert.equal(takesBody(body), false, JSON.stringify(body));
  }
});
