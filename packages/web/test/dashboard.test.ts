// The dashboard over HTTP with a real platform: sign-in, games, uploads, rollback, tokens, and rejected requests.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createPlatformClient, PLATFORM_LIMITS } from '@svc/contracts/platform';
import { makeZip } from '@svc/platform/testing';
import { type BareBrowser, openBareBrowser, type Seen } from './browser-without-screen.ts';
import { openSite, type Site } from './open-site.ts';

const EVIL = `"><script>alert(1)</script>'`;

let site: Site;
let owner: BareBrowser;
let game = '';

before(async () => {
  site = await openSite();
  owner = openBareBrowser(site.origin);
  await owner.signIn('Ada');
});
after(() => site[Symbol.asyncDispose]());

function upload(version: string, files: Record<string, string>): FormData {
  const form = new FormData();
  form.set('version', version);
  form.set('notes', 'Notes **here**');
  form.set('build', new Blob([new Uint8Array(makeZip(files))]), 'build.zip');
  return form;
}

const shown = ({ status, text }: Seen): string => `${status}\n${text.slice(text.indexOf('<main'))}`;

test('GET /dashboard redirects a signed-out visitor to the provider, and a new player can become a developer', async () => {
  const visitor = openBareBrowser(site.origin);
  const asked = await visitor.open('/dashboard');
  assert.match(asked.url, new RegExp(`^${site.platform.issuer}/interaction/`));
  const player = await owner.open('/dashboard');
  assert.match(player.text, /Become a developer/);
  const developer = await owner.send('/dashboard/become-developer', {});
  assert.match(developer.text, /No games yet/);
});

test('the session cookie is encrypted, HttpOnly and SameSite, and no page contains a token', async () => {
  const answer = await fetch(`${site.origin}/sign-in`, { redirect: 'manual' });
  const [line = ''] = answer.headers.getSetCookie();
  assert.match(line, /^svc_sign_in=[^;]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/);
  const sealed = owner.cookies.get('svc_session') ?? '';
  assert.equal(sealed.split('.').length, 5);
  assert.match(Buffer.from(sealed.split('.')[0] ?? '', 'base64url').toString(), /"enc":"A256GCM"/);
  assert.doesNotMatch((await owner.open('/dashboard/profile')).text, /eyJ/);
});

test('a cookie that is incomplete, foreign or forged is no session', async () => {
  for (const cookie of [
    'svc_session=x',
    `svc_session=${owner.cookies.get('svc_session')?.slice(0, -3)}xyz`,
    'svc_session=eyJhbGciOiJub25lIn0.e30.',
  ]) {
    const answer = await fetch(`${site.origin}/dashboard`, {
      headers: { cookie },
      redirect: 'manual',
    });
    assert.equal(answer.status, 303);
    assert.match(answer.headers.get('location') ?? '', /^\/sign-in/);
  }
});

test('a POST from another site is rejected and changes nothing', async () => {
  const origins = [
    { origin: 'https://evil.example', site: 'cross-site' },
    { origin: site.platform.baseUrl, site: 'same-site' },
    { origin: 'null', site: null },
    { origin: null, site: null },
    { origin: null, site: 'none' },
    { origin: site.origin, site: 'cross-site' },
  ];
  for (const from of origins) {
    for (const path of ['/dashboard/new', '/sign-out', '/dashboard/tokens']) {
      const answer = await owner.send(path, { title: 'forged', name: 'forged' }, from);
      assert.equal(answer.status, 403, `${path} ${JSON.stringify(from)}`);
    }
  }
  assert.doesNotMatch((await owner.open('/dashboard')).text, /forged/);
  assert.doesNotMatch((await owner.open('/dashboard/tokens')).text, /forged/);
});

test('POST /dashboard/new creates a draft, and a rejected form keeps its input', async () => {
  const made = await owner.send('/dashboard/new', {
    title: `Moon ${EVIL}`,
    slug: 'moon',
    engine: 'godot',
  });
  assert.match(made.text, /The draft has been created/, shown(made));
  game = /\/dashboard\/games\/([0-9a-f-]+)/.exec(made.url)?.[1] ?? '';
  assert.doesNotMatch(made.text, /<script>alert/);
  const again = await owner.send('/dashboard/new', {
    title: 'Other words',
    slug: 'moon',
    engine: 'html5',
  });
  assert.equal(again.status, 409);
  assert.match(again.text, /value="Other words"/);
  assert.match(again.text, /role="alert"/);
});

test('POST …/page saves text and layout, and a rejected form keeps its input', async () => {
  const words = {
    title: `Moon ${EVIL}`,
    engine: 'godot',
    tagline: EVIL,
    description: `# Hi\r\n${EVIL}`,
    category: 'puzzle',
    tags: 'space, Short space',
    template: 'wide',
    theme: 'dark',
    accent: '#FFB000',
    isolation: '',
    'place-description': '1',
    'place-releases': '2',
    'place-trailer': '0',
  };
  const saved = await owner.send(`/dashboard/games/${game}/page`, words);
  assert.match(saved.text, /Saved\. If the game is published/, shown(saved));
  assert.match(saved.text, /value="space, short"/);
  assert.match(saved.text, /value="#ffb000"/);
  assert.doesNotMatch(saved.text, /<script>alert/);
  const refused = await owner.send(`/dashboard/games/${game}/page`, {
    ...words,
    tagline: 'x'.repeat(200),
    tags: 'space, Größe',
    accent: 'red',
  });
  assert.equal(refused.status, 400);
  const faults = [
    ['tagline', 'The tagline is too long: it has 200 characters. Allowed: at most 140 characters.'],
    [
      'tags',
      'Tag 2 &quot;größe&quot; is not valid. Allowed: lower-case letters (a-z), digits and hyphens.',
    ],
    [
      'accent',
      'The accent color of the layout &quot;red&quot; is not valid. Allowed: # and six hexadecimal digits, such as #3366ff.',
    ],
  ];
  for (const [name = '', sentence = ''] of faults) {
    assert.ok(refused.text.includes(`<p class="fault" id="${name}-fault">${sentence}</p>`), name);
    assert.match(
      refused.text,
      new RegExp(`id="${name}"[^>]* aria-invalid="true" aria-describedby="${name}-fault `),
    );
  }
  assert.match(refused.text, new RegExp('x'.repeat(200)));
  const hidden = await owner.send(`/dashboard/games/${game}/page`, {
    ...words,
    title: 'Half saved',
    description: 'gpj\u202eexe',
  });
  assert.equal(hidden.status, 400);
  assert.match(
    hidden.text,
    /<p class="fault" id="description-fault">The description contains [^\n]*U\+202E/,
    shown(hidden),
  );
  const { text } = await owner.open(`/dashboard/games/${game}/page`);
  assert.doesNotMatch(text, /Half saved/);
});

test('forms show the limits of the API, the selected isolation and address, and whether profiling is allowed', async () => {
  const limits = { ...PLATFORM_LIMITS, title_characters: 7, screenshots: 3, image_bytes: 2048 };
  await using other = await openSite({ platform: { limits } });
  const browser = openBareBrowser(other.origin);
  await browser.signIn('Ada');
  await browser.send('/dashboard/become-developer', {});
  assert.match((await browser.open('/dashboard/new')).text, /name="title"[^>]* maxlength="7"/);
  const made = await browser.send('/dashboard/new', { title: 'Short', engine: 'godot' });
  const [path = ''] = /\/dashboard\/games\/[0-9a-f-]+/.exec(made.url) ?? [];
  const editor = await browser.open(`${path}/page`);
  assert.match(editor.text, /At most 3\. They are shown in this order/);
  assert.match(editor.text, /at most 2\.0 KiB/);
  assert.match(editor.text, /<option value="" selected>Automatic/);
  const allowed = (text: string) => /name="profiling" value="on"( checked)?/.exec(text)?.[1];
  assert.equal(allowed(editor.text), undefined);
  const words = { title: 'Short', engine: 'godot', isolation: 'require-corp', address: 'game' };
  const saved = await browser.send(`${path}/page`, { ...words, profiling: 'on' });
  assert.equal(allowed(saved.text), ' checked');
  assert.equal(allowed((await browser.send(`${path}/page`, words)).text), undefined);
  assert.match(saved.text, /<option value="require-corp" selected>/, shown(saved));
  assert.match(saved.text, /<option value="game" selected>/);
});

test('POST …/upload publishes a build, and lists the findings of a rejected build by file', async () => {
  const at = `/dashboard/games/${game}`;
  const dry = await owner.send(
    `${at}/upload?dry_run=true`,
    upload('1.0.0', { 'index.html': 'one' }),
  );
  assert.match(dry.text, /The build passed all checks: 1 file,/, shown(dry));
  const bad = await owner.send(
    `${at}/upload`,
    upload('1.0.0', { 'index.html': 'one', '../evil': 'x' }),
  );
  assert.equal(bad.status, 400, shown(bad));
  assert.match(bad.text, /\.\.\/evil/);
  assert.doesNotMatch(bad.text, /[a-z]\.\.<\/p>/, 'one full stop is enough');
  const none = await owner.send(`${at}/upload`, upload('1.0.0', { 'game.html': 'one' }));
  assert.match(none.text, /index\.html/);
  const good = await owner.send(`${at}/upload`, upload('1.0.0', { 'index.html': 'one' }));
  assert.match(good.text, /Published. Players now get this release/, shown(good));
  const twice = await owner.send(`${at}/upload`, upload('1.0.0', { 'index.html': 'one' }));
  assert.equal(twice.status, 409);
  const next = await owner.send(`${at}/upload`, upload('1.0.1', { 'index.html': 'two' }));
  assert.equal(next.status, 200, shown(next));
  assert.match((await openBareBrowser(site.origin).open('/games/moon')).text, /1\.0\.1/);
});

test('POST …/rollback, …/unpublish and …/delete-release change what players get', async () => {
  const at = `/dashboard/games/${game}`;
  const back = await owner.send(`${at}/rollback`, { version: '1.0.0' });
  assert.match(
    back.text,
    /Version <strong>1\.0\.0<\/strong> is live\. [\s\S]*Undo: make 1\.0\.1 live again/,
  );
  const play = async (): Promise<Response> => fetch(`${site.platform.baseUrl}/play/moon`);
  assert.equal(await (await play()).text(), 'one');
  const live = await owner.send(`${at}/delete-release`, { version: '1.0.0' });
  assert.equal(live.status, 409);
  const gone = await owner.send(`${at}/delete-release`, { version: '1.0.1' });
  assert.match(gone.text, /The release has been deleted/);
  const off = await owner.send(`${at}/unpublish`, {});
  assert.match(off.text, /can no longer open/);
  assert.equal((await play()).status, 404);
  assert.equal((await openBareBrowser(site.origin).open('/games/moon')).status, 404);
  assert.match(off.text, /aria-label="Put online: 1\.0\.0"/);
  const again = await owner.send(`${at}/rollback`, { version: '1.0.0' });
  assert.match(again.text, /Version <strong>1\.0\.0<\/strong> is live\./, shown(again));
  assert.doesNotMatch(again.text, /Put online: 1\.0\.0/);
  assert.equal(await (await play()).text(), 'one');
  assert.equal((await openBareBrowser(site.origin).open('/games/moon')).status, 200);
});

test('a new token works at the API, is shown once, and is rejected after its revocation', async () => {
  const made = await owner.send(
    '/dashboard/tokens',
    new URLSearchParams([
      ['name', 'laptop'],
      ['scopes', 'publish'],
      ['days', '30'],
    ]),
  );
  const secret = /svc_[0-9A-Za-z]{42}/.exec(made.text)?.[0] ?? '';
  assert.notEqual(secret, '', shown(made));
  const client = createPlatformClient({
    baseUrl: site.platform.baseUrl,
    send: fetch,
    credential: () => secret,
  });
  const { auth } = await client.call('me', {});
  assert.equal(auth.kind, 'pat');
  const list = await owner.open('/dashboard/tokens');
  assert.doesNotMatch(list.text, new RegExp(secret));
  const id = /name="id" value="([^"]+)"/.exec(list.text)?.[1] ?? '';
  const revoked = await owner.send('/dashboard/tokens/revoke', { id });
  assert.match(revoked.text, /The token has been revoked/);
  assert.match(revoked.text, /<td role="cell" data-column="Status">revoked <time datetime=/);
  await assert.rejects(client.call('me', {}), { code: 'token_revoked' });
});

test('a developer can’t see the project of another developer', async () => {
  const other = openBareBrowser(site.origin);
  await other.signIn('Mallory');
  await other.send('/dashboard/become-developer', {});
  assert.equal((await other.open(`/dashboard/games/${game}`)).status, 403);
  assert.equal(
    (await other.send(`/dashboard/games/${game}/delete`, { title: `Moon ${EVIL}` })).status,
    403,
  );
  assert.equal((await owner.open(`/dashboard/games/${game}`)).status, 200);
});

test('POST …/delete requires the exact title', async () => {
  const at = `/dashboard/games/${game}/delete`;
  const refused = await owner.send(at, { title: 'Moon' });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /Nothing was deleted/);
  const gone = await owner.send(at, { title: `Moon ${EVIL}` });
  assert.match(gone.text, /has been deleted\. You can restore it until/);
});

test('POST /dashboard/profile changes the name, and a rejected name is kept in the form', async () => {
  const saved = await owner.send('/dashboard/profile', { name: `Ada ${EVIL}` });
  assert.match(saved.text, /Saved\./);
  assert.doesNotMatch(saved.text, /<script>alert/);
  const long = 'x'.repeat(81);
  const refused = await owner.send('/dashboard/profile', { name: long });
  assert.equal(refused.status, 400);
  assert.match(refused.text, new RegExp(`value="${long}"`));
});

test('GET /sign-in returns to this site only', async () => {
  for (const elsewhere of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/%09/evil.example',
    'javascript:alert(1)',
    '/..//evil.example',
  ]) {
    const seen = await openBareBrowser(site.origin).signIn('Bob', elsewhere);
    assert.equal(new URL(seen.url).origin, site.origin, elsewhere);
  }
});

test('GET /sign-in/callback rejects a sign-in that was not started here', async () => {
  const answer = await openBareBrowser(site.origin).open('/sign-in/callback?code=x&state=y');
  assert.equal(answer.status, 502);
  assert.match(answer.text, /started in another browser/);
});

test('POST /sign-out ends the session', async () => {
  await owner.send('/sign-out', {});
  assert.equal(owner.cookies.has('svc_session'), false);
  assert.match((await owner.open('/')).text, /Sign in/);
});
