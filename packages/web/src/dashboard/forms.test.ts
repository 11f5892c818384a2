// The forms of the dashboard: their HTML, and the values that are read from them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLATFORM_LIMITS, PlatformError } from '@svc/contracts/platform';
import { gameOf, mediaOf, pageOf, releaseOf } from '../../test/stand-in-api.ts';
import { arrange } from './change-media.ts';
import { readEngine } from './forms/engine.ts';
import { fieldFaults } from './forms/field-faults.ts';
import { formText, readTags, selectField, textArea, textField } from './forms/fields.ts';
import {
  checkTexts,
  describeDone,
  describeRejection,
  findingList,
  notice,
} from './forms/outcome.ts';
import { table } from './forms/table.ts';
import { mediaPanel } from './media-panel.ts';
import { asForm, pageForm, readLayout, readMetadata } from './page-form.ts';
import { uploadForm } from './upload-form.ts';

test('arrange moves, removes and describes a screenshot, and ignores unknown ids and actions', () => {
  const shots = ['a', 'b', 'c'];
  const rows: [form: Record<string, string>, metadata: object][] = [
    [{ what: 'b', do: 'earlier' }, { screenshots: ['b', 'a', 'c'] }],
    [{ what: 'c', do: 'earlier' }, { screenshots: ['a', 'c', 'b'] }],
    [{ what: 'a', do: 'earlier' }, { screenshots: ['a', 'b', 'c'] }],
    [{ what: 'b', do: 'later' }, { screenshots: ['a', 'c', 'b'] }],
    [{ what: 'c', do: 'later' }, { screenshots: ['a', 'b', 'c'] }],
    [{ what: 'c', do: 'move', place: '0' }, { screenshots: ['c', 'a', 'b'] }],
    [{ what: 'a', do: 'move', place: '1' }, { screenshots: ['b', 'a', 'c'] }],
    [{ what: 'a', do: 'move', place: '9' }, { screenshots: ['b', 'c', 'a'] }],
    [{ what: 'c', do: 'move', place: '-1' }, { screenshots: ['c', 'a', 'b'] }],
    [{ what: 'b', do: 'move' }, { screenshots: ['a', 'b', 'c'] }],
    [{ what: 'c', do: 'move', place: 'x' }, { screenshots: ['c', 'a', 'b'] }],
    [{ what: 'b', do: 'remove' }, { screenshots: ['a', 'c'] }],
    [{ what: 'b', do: 'describe', alt: ' A moon ' }, { alt: { b: 'A moon' } }],
    [{ what: 'b', do: 'describe', alt: ' ' }, { alt: { b: null } }],
    [{ what: 'b', do: 'describe' }, { alt: { b: null } }],
    [{ what: 'b', do: 'explode' }, {}],
    [{ what: 'x', do: 'remove' }, {}],
    [{ do: 'remove' }, {}],
    [{ what: 'cover', do: 'remove' }, { cover: null }],
    [{ what: 'banner', do: 'remove' }, { banner: null }],
    [{ what: 'trailer', do: 'remove' }, { trailer: null }],
    [{ what: 'cover', do: 'earlier' }, {}],
  ];
  for (const [form, metadata] of rows) {
    assert.deepEqual(arrange(shots, new URLSearchParams(form)), metadata, JSON.stringify(form));
  }
});

test('fieldFaults returns the first fault of each field by the name of the form’s field', () => {
  const faults = fieldFaults([
    { path: 'metadata/tags/2', message: 'Tag 3 is bad' },
    { path: 'metadata/tags/4', message: 'Tag 5 is bad' },
    { path: 'metadata/layout/accent', message: 'No colour!' },
    { path: 'metadata/layout', message: 'No layout' },
    { path: '/expires_in_days', message: 'Too long' },
    { path: 'projects/0', message: 'Not yours' },
    { path: 'title', message: 'Too short' },
    { path: 'notes', entry: 'index.html', message: 'Of a file' },
    { path: 'metadata', message: 'Of no field' },
    { message: 'Of nothing' },
  ]);
  assert.deepEqual(faults, {
    tags: 'Tag 3 is bad.',
    accent: 'No colour!',
    layout: 'No layout.',
    days: 'Too long.',
    project: 'Not yours.',
    title: 'Too short.',
  });
});

/** An error of the API. */
function refused(status: number, code: string, details: readonly object[] = []): PlatformError {
  const error = { code, message: 'It is refused', details };
  return new PlatformError(new Response(null, { status }), { error });
}

test('describeRejection describes errors that a user can correct, and rethrows others', () => {
  const details = [
    { path: 'title', message: 'It is refused' },
    { path: 'title', message: 'It is refused', hint: 'Mend it' },
    { entry: '../evil', message: 'It is evil' },
  ];
  assert.deepEqual(describeRejection(refused(400, 'invalid_input', details)), {
    status: 400,
    text: 'It is refused.',
    findings: [
      { entry: null, message: 'It is refused', hint: 'Mend it' },
      { entry: '../evil', message: 'It is evil', hint: null },
    ],
    faults: { title: 'It is refused.' },
  });
  for (const [status, code] of [
    [403, 'not_owner'],
    [409, 'slug_taken'],
    [413, 'payload_too_large'],
    [429, 'rate_limited'],
  ] as const) {
    assert.equal(describeRejection(refused(status, code)).status, status);
  }
  for (const error of [
    refused(401, 'unauthenticated'),
    refused(404, 'not_found'),
    refused(500, 'internal'),
    refused(507, 'storage_full'),
    refused(400, 'of_another_service'),
    new TypeError('fetch failed'),
  ]) {
    assert.throws(() => describeRejection(error), error);
  }
});

test('checkTexts finds texts that the API would reject', () => {
  assert.equal(checkTexts({ title: 'Moon', description: 'Words\nand more' }), null);
  const outcome = checkTexts({ title: 'gpj\u202eexe' });
  assert.equal(outcome?.status, 400);
  assert.equal(outcome?.text, 'Nothing was saved. Correct the marked fields.');
  assert.match(outcome?.faults?.['title'] ?? '', /^The title .*U\+202E.*\.$/);
});

test('notice has the role `alert` for an error and `status` for a success', () => {
  assert.equal(notice(null), null);
  assert.match(
    String(notice({ status: 399, text: 'Done' })),
    /class="notice good" role="status"><p>Done<\/p>/,
  );
  assert.match(
    String(notice({ status: 400, text: '<b>' })),
    /class="notice bad" role="alert"><p>&lt;b&gt;<\/p>/,
  );
  const findings = [{ entry: 'a.js', message: 'Bad', hint: 'Mend' }];
  assert.match(
    String(notice({ status: 400, text: 'No', findings })),
    /<li><code>a\.js<\/code><span>Bad<\/span><span class="hint">Mend<\/span><\/li>/,
  );
  assert.equal(findingList([]), null);
});

test('describeDone returns the message for a known `?done=`, and null for others', () => {
  const of = (done: string) => describeDone(new URL(`http://x/?done=${done}`), { saved: 'Saved.' });
  assert.deepEqual(of('saved'), { status: 200, text: 'Saved.' });
  for (const other of ['', 'SAVED', 'constructor', 'toString', '__proto__']) {
    assert.equal(of(other), null, other);
  }
  assert.equal(describeDone(new URL('http://x/'), { saved: 'Saved.' }), null);
});

test('readTags splits at commas and spaces, and returns lower-case tags without duplicates', () => {
  assert.deepEqual(readTags(' Space,, short\n2D  space '), ['space', 'short', '2d']);
  assert.deepEqual(readTags(' , '), []);
});

test('formText converts line ends to LF', () => {
  const form = new URLSearchParams({ a: '1\r\n2\r\n3' });
  assert.deepEqual([formText(form, 'a'), formText(form, 'b')], ['1\n2\n3', '']);
});

test('a field keeps its input, shows its fault, and is described by fault and hint', () => {
  const outcome = { status: 400, text: 'No', faults: { a: 'Too <long>.' } };
  const field = { name: 'a', label: 'A', value: '"x"', hint: 'Short', maxLength: 7, outcome };
  const { text } = textField({ ...field, required: true, pattern: '[a-z]+' });
  assert.match(
    text,
    /<input id="a" name="a" type="text" value="&quot;x&quot;" required maxlength="7" pattern="\[a-z\]\+" aria-invalid="true" aria-describedby="a-fault a-hint" autocomplete="off">/,
  );
  assert.match(text, /id="a-fault">Too &lt;long&gt;\.<\/p><p class="hint" id="a-hint">Short</);
  assert.doesNotMatch(text, /optional/);
  const other = { name: 'b', label: 'B', outcome };
  assert.match(
    textField(other).text,
    /optional<\/span><\/label>\n<input id="b" name="b" type="text" value="" autocomplete/,
  );
  // HTML ignores the first line end of a text area.
  assert.match(
    textArea({ ...field, value: '\n<x>' }).text,
    /maxlength="7"[^>]*>\n\n&lt;x&gt;<\/textarea>/,
  );
  const options = [
    ['', 'None'],
    ['1', 'One'],
  ] as const;
  assert.match(
    selectField({ ...other, options }).text,
    /<option value="" selected>None<\/option><option value="1">/,
  );
  assert.match(
    selectField({ ...other, value: '1', options }).text,
    /value="">None<\/option><option value="1" selected>/,
  );
});

test('stored metadata is unchanged after it is converted to a form and back', () => {
  const page = pageOf({
    tagline: 'Hop',
    description: 'One\nTwo',
    category: 'puzzle',
    tags: ['space', 'short'],
    layout: {
      template: 'wide',
      theme: 'dark',
      accent: '#ffb000',
      sections: ['developer', 'description', 'trailer'],
      orientation: 'landscape',
    },
  });
  const stored = { game: gameOf(), live_release: null };
  const form = asForm({
    ...stored,
    page,
    isolation: 'require-corp',
    profiling: true,
    address: 'game',
  });
  const { tagline, description, category, tags, layout } = page;
  assert.deepEqual(readMetadata(form), {
    ...{ tagline, description, category, tags, layout },
    isolation: 'require-corp',
    profiling: true,
    address: 'game',
  });
  const automatic = asForm({ ...stored, page, isolation: null, address: null });
  assert.equal(readMetadata(automatic).address, null);
  assert.match(pageForm('/x', automatic, PLATFORM_LIMITS, null).text, /name="address"/);
  assert.deepEqual([form.get('title'), form.get('engine')], ['Moon', 'godot']);
  const empty = pageOf();
  assert.deepEqual(
    readMetadata(asForm({ game: gameOf(), page: empty, isolation: null, live_release: null })),
    {
      ...{ tagline: null, description: null, category: null, tags: [], isolation: null },
      profiling: false,
      layout: empty.layout,
    },
    'an older API does not know the address',
  );
  const old = asForm({ game: gameOf(), page: empty, isolation: null, live_release: null });
  assert.doesNotMatch(pageForm('/x', old, PLATFORM_LIMITS, null).text, /name="address"/);
});

test('values that no form offers are read as the defaults', () => {
  const form = new URLSearchParams({
    tagline: '  ',
    category: 'nowhere',
    isolation: 'sometimes',
    profiling: 'maybe',
    address: 'elsewhere',
    template: 'odd',
    theme: 'pink',
    accent: ' #FFB000 ',
    'place-trailer': '2',
    'place-releases': '1',
    'place-developer': '2',
    'place-description': '0',
    'place-screenshots': 'x',
  });
  const { tagline, category, isolation, profiling, address } = readMetadata(form);
  assert.deepEqual(
    [tagline, category, isolation, profiling, address],
    [null, null, null, false, null],
  );
  assert.deepEqual(readLayout(form), {
    template: 'classic',
    theme: 'auto',
    accent: '#ffb000',
    // Sections with the same position have the default order.
    sections: ['releases', 'trailer', 'developer'],
  });
  assert.equal(readLayout(new URLSearchParams({ theme: 'light' })).theme, 'light');
  assert.deepEqual(['godot', 'nothing', null].map(readEngine), ['godot', 'other', 'other']);
});

test('the upload form proposes the version after the newest', () => {
  const rows: [newest: string | null, next: string][] = [
    [null, '1.0.0'],
    ['1.0.9', '1.0.10'],
    ['2.7-beta', '2.8-beta'],
    ['v3', 'v4'],
    ['1.0.0+a1b', '1.0.0+a2b'],
    ['final', 'final'],
  ];
  const shown = { hasLinks: true, outcome: null };
  for (const [newest, next] of rows) {
    const releases = newest === null ? [] : [releaseOf({ version: newest }), releaseOf()];
    const { text } = uploadForm(gameOf(), releases, PLATFORM_LIMITS, shown);
    assert.ok(text.includes(`name="version" type="text" value="${next}"`), next);
    assert.match(text, newest === null ? /Upload the first build/ : /Upload a build/);
  }
  const limits = { ...PLATFORM_LIMITS, build_zip_bytes: 1024, version_characters: 9 };
  const { text } = uploadForm(gameOf({ status: 'draft' }), [], limits, {
    hasLinks: false,
    outcome: null,
  });
  assert.match(text, /maxlength="9"[\s\S]*at most 1\.0 KiB[\s\S]*Upload and publish/);
  assert.match(text, /action="\/dashboard\/games\/moon-id\/upload" enctype="multipart\/form-data"/);
  assert.doesNotMatch(text, /Stage/);
});

test('the media panel offers the possible actions, and no upload beyond the limit of screenshots', () => {
  const limits = { ...PLATFORM_LIMITS, screenshots: 3 };
  const shots = ['a', 'b', 'c'].map((id) => mediaOf({ id, alt: id === 'b' ? 'A "b"' : null }));
  const panel = (count: number, more: Parameters<typeof pageOf>[0] = {}): string =>
    mediaPanel('/base', pageOf({ screenshots: shots.slice(0, count), ...more }), limits).text;
  const actions = (text: string): string[][] =>
    [...text.matchAll(/<li class="shot">.*?<\/li>/gs)].map(([item]) =>
      [...item.matchAll(/name="do" value="(\w+)"/g)].map(([, action = '']) => action),
    );
  const full = panel(3, { cover: mediaOf(), trailer: mediaOf({ kind: 'video' }) });
  assert.deepEqual(actions(full), [
    ['describe', 'later', 'remove'],
    ['describe', 'earlier', 'later', 'remove'],
    ['describe', 'earlier', 'remove'],
  ]);
  assert.match(full, /The limit of 3 screenshots is reached\. Remove one to add another/);
  assert.doesNotMatch(full, /Add screenshots/);
  assert.match(
    full,
    /name="what" value="b">\n<label[^>]*><span>Alternative text<\/span><input name="alt" value="A &quot;b&quot;" maxlength="300"/,
  );
  assert.match(
    full,
    /aria-label="Remove the cover"[\s\S]*<video [\s\S]*aria-label="Remove the trailer"/,
  );
  assert.doesNotMatch(full, /Remove the banner/);
  const some = panel(2);
  assert.match(some, /Add screenshots/);
  assert.doesNotMatch(some, /Remove the |The limit/);
  assert.deepEqual(actions(panel(1)), [['describe', 'remove']]);
  const [, json = ''] = /<script type="application\/json">(.*?)<\/script>/.exec(full) ?? [];
  const data = JSON.parse(json);
  assert.deepEqual([data.base, data.screenshots.most, data.altCharacters], ['/base', 3, 300]);
  assert.deepEqual(data.page.screenshots, shots);
});

test('a table names its column in each cell, except columns with a hidden name', () => {
  const { text } = table('Things', ['Name', 'Size', { hidden: 'Actions' }], [['<a>', 3, null]]);
  assert.match(text, /role="region" aria-label="Things"/);
  assert.match(text, /<th scope="col" role="columnheader">Size<\/th>/);
  assert.match(text, /<span class="visually-hidden">Actions<\/span><\/th>/);
  assert.match(
    text,
    /<th scope="row" role="rowheader">&lt;a&gt;<\/th><td role="cell" data-column="Size">3<\/td><td role="cell"><\/td><\/tr>/,
  );
});
