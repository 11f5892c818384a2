import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalyzeRequest } from '../agent/analysis.ts';
import { REQUESTS } from '../platform/requests.ts';
import { explainInput } from './explain-input.ts';
import { BODY, QUERY } from './place.ts';

const TITLE = 'Moon Hop';
const explain = (schema: object, value: unknown): string =>
  explainInput(schema, value, BODY)[0].message;

test('explainInput names the field, the fault, and what is allowed', () => {
  const { CreateProject, CreateToken, EditProfile, StoreMetadata } = REQUESTS;
  const rows: [schema: object, value: unknown, sentence: string][] = [
    [CreateProject, [], 'The body is a list. Allowed: an object'],
    [CreateProject, {}, 'The title is missing. Add the field "title"'],
    [CreateProject, { title: '' }, 'The title is empty. Allowed: 1 to 80 characters'],
    [
      CreateProject,
      { title: '🚀'.repeat(81) },
      'The title is too long: it has 81 characters. Allowed: 1 to 80 characters',
    ],
    [
      CreateProject,
      { title: TITLE, slug: 'Moon Hop' },
      'The slug "Moon Hop" is not valid. Allowed: lower-case letters (a-z), digits, and single hyphens between them, such as moon-hop',
    ],
    [
      CreateProject,
      { title: TITLE, slug: 'mo' },
      'The slug is too short: it has 2 characters. Allowed: 3 to 63 characters',
    ],
    [CreateProject, { title: TITLE, slug: 7 }, 'The slug is 7. Allowed: text or null'],
    [
      CreateProject,
      { title: TITLE, tags: ['space', 'x'] },
      'Tag 2 is too short: it has 1 character. Allowed: 2 to 24 characters',
    ],
    [
      CreateProject,
      { title: TITLE, tags: ['aa', 'bb', 'aa'] },
      'The list of tags contains the tag "aa" twice, as entries 1 and 3. Allowed: each tag once',
    ],
    [
      CreateProject,
      { titel: TITLE, title: TITLE },
      'The field "titel" is unknown. Did you mean "title"? Allowed: title, slug, engine, tagline, description, tags',
    ],
    [
      CreateToken,
      { name: 'ci', expires_in_days: 4000 },
      'The lifetime in days is 4,000. Allowed: whole numbers from 1 to 3,650',
    ],
    ...[5, 'https://img.example/a.png', 'x'.repeat(3000)].map(
      (avatar): [object, unknown, string] => [
        EditProfile,
        { avatar },
        `The avatar is ${avatar === 5 ? '5' : 'text'}. Allowed: null, which removes it; a new one is uploaded with PUT /me/avatar, as the part "avatar"`,
      ],
    ),
    [CreateToken, { name: 'ci', scopes: ['admin'] }, 'Scope 1 is "admin". Allowed: publish, read'],
    [
      CreateToken,
      { name: 'ci', scopes: [] },
      'The list of scopes has 0 entries. Allowed: at least 1 entry',
    ],
    [
      StoreMetadata,
      { layout: {} },
      'The template of the layout is missing. Add the field "template"',
    ],
    [
      StoreMetadata,
      { alt: { cover: 'x'.repeat(301) } },
      'The alternative text of "cover" is too long: it has 301 characters. Allowed: at most 300 characters',
    ],
    [
      StoreMetadata,
      { cover: 'c.png' },
      'The cover is text. Allowed: null, which removes it; a new one is sent as the part "cover"',
    ],
    [AnalyzeRequest, {}, 'The field "offline" is missing. Add the field "offline"'],
    [AnalyzeRequest, { offline: 'yes' }, 'The field "offline" is "yes". Allowed: true, false'],
    [AnalyzeRequest, { offline: false }, 'The model is missing. Add the field "model"'],
    [
      AnalyzeRequest,
      { offline: true, model: 'openai/x' },
      'The field "model" is not allowed in this combination. Allowed: offline, budget_ms',
    ],
    [
      AnalyzeRequest,
      { offline: true, budget_ms: 0 },
      'The frame budget in milliseconds is 0. Allowed: over 0, up to 60,000',
    ],
  ];
  for (const [schema, value, sentence] of rows) assert.equal(explain(schema, value), sentence);
});

test('explainInput names each type where several are allowed', () => {
  const avatar = { type: ['string', 'null'], maxLength: 3, title: 'avatar' };
  const schema = { type: 'object', properties: { avatar } };
  assert.equal(explain(schema, { avatar: 5 }), 'The avatar is 5. Allowed: text or null');
  assert.match(explain(schema, { avatar: 'four' }), /^The avatar is too long/);
});

test('explainInput lists each fault with its pointer, at most twenty', () => {
  const tags = Array.from({ length: 5 }, () => 'UPPER');
  const faults = explainInput(REQUESTS.CreateProject, { slug: '-', tags }, BODY);
  assert.deepEqual(
    faults.map(({ path }) => path),
    ['/title', '/slug', '/tags/0', '/tags/1', '/tags/2', '/tags/3', '/tags/4', '/tags'],
  );
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]));
  assert.equal(explainInput(REQUESTS.CreateProject, many, BODY).length, 20);
});

test('explainInput cuts and escapes a client’s field name in its pointer', () => {
  const pointer = (name: string): string =>
    explainInput(REQUESTS.CreateProject, { title: TITLE, [name]: 1 }, BODY)[0].path;
  assert.equal(pointer('a/b~\u0000\u202ec'), '/a~1b~0c');
  assert.equal(pointer('🚀'.repeat(65)), `/${'🚀'.repeat(64)}`);
});

test('explainInput reports a query parameter that occurs twice', () => {
  const schema = { type: 'object', properties: { q: { type: 'string', title: 'search text' } } };
  assert.equal(
    explainInput(schema, { q: ['a', 'b'] }, QUERY)[0].message,
    'The search text occurs 2 times. Allowed: once',
  );
});

test('explainInput uses the place that a validator reported for a rule it does not know itself', () => {
  const visible = { type: 'string', title: 'name', description: 'visible text', madeUp: true };
  const schema = { type: 'object', properties: { name: { anyOf: [visible, { type: 'null' }] } } };
  assert.deepEqual(explainInput(schema, { name: 'x' }, BODY, '/name'), [
    { path: '/name', message: 'The name "x" is not valid. Allowed: visible text' },
  ]);
});

test('explainInput follows a reported pointer through lists and names with a slash or tilde', () => {
  const tag = { type: 'string', title: 'tag', description: 'a word', madeUp: true };
  const list = { type: 'array', items: tag };
  const schema = { type: 'object', properties: { 'a/b~c': list } };
  assert.deepEqual(explainInput(schema, { 'a/b~c': ['x', 'y'] }, BODY, '/a~1b~0c/1'), [
    { path: '/a~1b~0c/1', message: 'Tag 2 "y" is not valid. Allowed: a word' },
  ]);
  // A pointer to a missing place, or an invalid pointer.
  assert.deepEqual(explainInput(schema, {}, BODY, '/none/1'), [
    { path: '/none/1', message: 'The field "1" of the field "none" is not valid' },
  ]);
  assert.deepEqual(explainInput(schema, {}, BODY), [
    { path: '', message: 'The body is not valid' },
  ]);
});

test('explainInput shows no secret, no control character and no long value', () => {
  const token = 'q8ZvK3m0aB7dE1fG5hJ9kL2nP4rS6tU8vW0xY2zA4cD';
  const hostile = 'a\u0000\u001b[31m\u202e\u200b\ud800"end';
  const { OpenSession, CreateProject } = REQUESTS;
  const sentences = [
    explain(CreateProject, { title: TITLE, slug: token }),
    explain(CreateProject, { title: TITLE, engine: token }),
    explain(CreateProject, { title: TITLE, [token]: 1 }),
    explain(OpenSession, { id_token: 5 }),
    explain(CreateProject, { title: TITLE, engine: hostile }),
    explain(CreateProject, { title: TITLE, [hostile]: 1 }),
    explain(CreateProject, { title: TITLE, engine: 'no such engine '.repeat(1000) }),
    JSON.stringify(explainInput(CreateProject, { title: TITLE, [token]: 1 }, BODY)),
  ];
  for (const sentence of sentences) {
    assert.ok(!sentence.includes(token.slice(0, 12)), sentence);
    assert.doesNotMatch(sentence, /[\p{C}\p{Zl}\p{Zp}]/u);
    assert.ok(sentence.length < 400, sentence);
  }
  assert.match(
    sentences[4] ?? '',
    /^The engine is "a<U\+0000><U\+001B>\[31m<U\+202E><U\+200B><U\+D800>\\"end"\. Allowed: /,
  );
});
