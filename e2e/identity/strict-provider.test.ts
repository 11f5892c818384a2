// Signing in at OpenID providers that are as strict as the large ones: the store as a confidential client, svc as a public one,
// renewals, several providers, and back-channel logout.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type BareBrowser, openBareBrowser } from '@svc/web/testing';
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { finish, startSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { shownAddress } from '../cli/platform-process.ts';
import { type Deployment, openDeployment } from './open-deployment.ts';
import {
  CLI_CLIENT,
  STORE_CLIENT,
  type StoreClient,
  type StrictProvider,
  startStrictProvider,
} from './start-strict-provider.ts';

const PROFILE = '/dashboard/profile';
const SECRET = 'a secret: with +, % and ~';

type Signed = AsyncDisposable & Deployment & { readonly provider: StrictProvider };

/** Deploys an API and a store that sign in at one provider, whose issuer has a path as those of Keycloak have. */
async function openSigned(
  store: StoreClient,
  environment: Readonly<Record<string, string>>,
): Promise<Signed> {
  await using opening = new AsyncDisposableStack();
  const provider = opening.use(await startStrictProvider('/realms/games'));
  const deployment = opening.use(
    await openDeployment({
      SVC_OIDC_ISSUER: provider.issuer,
      SVC_OIDC_AUDIENCE: STORE_CLIENT,
      SVC_OIDC_CLI_CLIENT_ID: CLI_CLIENT,
      ...environment,
    }),
  );
  await provider.begin(store, addressesOf(deployment));
  const opened = opening.move();
  return { ...deployment, provider, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function addressesOf({ store, platform }: Deployment) {
  return { storeOrigin: store.origin, apiUrl: platform.baseUrl };
}

/** Opens the profile, as a visitor who has to sign in. */
function openProfile(browser: BareBrowser): ReturnType<BareBrowser['open']> {
  return browser.open(`/sign-in?return_to=${PROFILE}`);
}

const WITH_SECRET = { method: 'client_secret_basic', secret: SECRET } as const;

async function withKey(t: TestContext) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const file = join(temporaryFolder(t), 'key.pem');
  writeFileSync(file, await exportPKCS8(privateKey), { mode: 0o600 });
  return { file, publicKey: await exportJWK(publicKey) };
}

test('the store signs in and renews with each way to authenticate', async (t) => {
  const { file, publicKey } = await withKey(t);
  const rows: [StoreClient, Readonly<Record<string, string>>][] = [
    [{ method: 'none' }, {}],
    [WITH_SECRET, { SVC_OIDC_CLIENT_SECRET: SECRET }],
    [
      { method: 'client_secret_post', secret: SECRET },
      { SVC_OIDC_CLIENT_SECRET: SECRET, SVC_OIDC_CLIENT_AUTH: 'post' },
    ],
    [{ method: 'private_key_jwt', publicKey }, { SVC_OIDC_CLIENT_KEY_FILE: file }],
  ];
  for (const [client, environment] of rows) {
    await using site = await openSigned(client, environment);
    const browser = openBareBrowser(site.store.origin);
    const profile = await openProfile(browser);
    assert.equal(profile.status, 200, `${client.method}: ${site.lines.join('\n')}`);
    assert.equal(profile.url, site.store.origin + PROFILE);
    assert.match(profile.text, /<strong>Ada<\/strong>.*ada@id\.example/);
    // The ID token ends within a minute, so each page renews it. Each refresh token is used once.
    for (let pages = 0; pages < 2; pages++) {
      assert.equal((await browser.open(PROFILE)).url, site.store.origin + PROFILE);
    }
    const [first, ...renewals] = site.provider.grants;
    assert.equal(first, 'authorization_code', client.method);
    assert.ok(renewals.length >= 2, `${client.method}: ${renewals.length} renewals`);
    assert.deepEqual(new Set(renewals), new Set(['refresh_token']), client.method);
    assert.deepEqual(
      site.lines.filter((line) => /identity provider|internal/.test(line)),
      [],
    );
  }
});

test('a wrong secret is a page for the visitor, and a line that names the setting for the operator', async () => {
  await using site = await openSigned(WITH_SECRET, { SVC_OIDC_CLIENT_SECRET: 'another-secret' });
  const page = await openProfile(openBareBrowser(site.store.origin));
  assert.equal(page.status, 502);
  assert.match(
    page.text,
    /Sign-in failed.*does not accept this store\. Its operator has to correct/s,
  );
  const [line = '', ...others] = site.lines.filter((one) => one.includes('rejected the store'));
  assert.deepEqual(others, []);
  assert.match(
    line,
    new RegExp(`${site.provider.issuer} rejected .* Check SVC_OIDC_CLIENT_SECRET`),
  );
  assert.match(site.lines.join('\n'), /a sign-in failed: .*does not accept this store/);
  assert.ok(!site.lines.join().includes('another-secret'));
  assert.deepEqual(site.provider.grants, []);
});

/** Signs in with `svc login`, as a person whose browser opens the address that it shows. */
async function logIn(t: TestContext, site: Deployment, more: readonly string[] = []) {
  const home = temporaryFolder(t);
  const args = ['login', '--web', '--no-open', '--api', site.platform.baseUrl, '--json', ...more];
  const child = startSvc(t, args, { env: { HOME: home } });
  const done = finish(child);
  const page = await openBareBrowser(site.store.origin).open(await shownAddress(child));
  assert.match(page.text, /You are signed in/);
  const { code, stdout, stderr } = await done;
  assert.equal(code, 0, stderr);
  const saved = JSON.parse(readFileSync(join(home, '.config/svc/credentials'), 'utf8'));
  return { user: JSON.parse(stdout).user, token: String(saved.token) };
}

/** The user of the browser, by the link to their public page. */
async function uidOf(browser: BareBrowser): Promise<string> {
  await browser.send('/dashboard/become-developer', {});
  return /href="\/devs\/([^"]+)"/.exec((await browser.open(PROFILE)).text)?.[1] ?? '';
}

test('svc login signs in with its own public client, to the account of the store', async (t) => {
  await using site = await openSigned(WITH_SECRET, { SVC_OIDC_CLIENT_SECRET: SECRET });
  const { user } = await logIn(t, site);
  assert.equal(user.name, 'Ada');
  const browser = openBareBrowser(site.store.origin);
  await openProfile(browser);
  assert.equal(await uidOf(browser), user.uid);
});

test('people choose among several providers, whose users do not mix', async (t) => {
  await using dex = await startStrictProvider('/dex');
  await using site = await openSigned(WITH_SECRET, {
    SVC_OIDC_CLIENT_SECRET: SECRET,
    SVC_OIDC_NAME: 'Games & More',
    SVC_OIDC_2_ISSUER: dex.issuer,
    SVC_OIDC_2_AUDIENCE: STORE_CLIENT,
    SVC_OIDC_2_CLI_CLIENT_ID: CLI_CLIENT,
    SVC_OIDC_2_NAME: 'Studio',
  });
  await dex.begin({ method: 'none' }, addressesOf(site));
  // As Dex writes subjects.
  const sub = 'Cg0wLTM4NS0yODA4OS0wEgRtb2Nr+/=';
  site.provider.account = { sub, name: 'Ada' };
  dex.account = { sub, name: 'Bo' };
  const uids: string[] = [];
  for (const [name, person] of [
    ['Games &amp; More', 'Ada'],
    ['Studio', 'Bo'],
  ] as const) {
    const browser = openBareBrowser(site.store.origin);
    const choice = await openProfile(browser);
    const link = new RegExp(`href="([^"]+)"[^>]*>Continue with ${name}<`).exec(choice.text)?.[1];
    const profile = await browser.open(link?.replaceAll('&amp;', '&') ?? '/');
    assert.equal(profile.url, site.store.origin + PROFILE);
    assert.match(profile.text, new RegExp(`<strong>${person}</strong>`));
    // The session is renewed at its own provider.
    assert.equal((await browser.open(PROFILE)).url, site.store.origin + PROFILE);
    uids.push(await uidOf(browser));
  }
  assert.notEqual(uids[0], uids[1]);
  for (const { grants } of [site.provider, dex]) assert.ok(grants.includes('refresh_token'));
  const { user } = await logIn(t, site, ['--provider', 'studio']);
  assert.equal(user.uid, uids[1]);
});

test('a sign-out at the provider ends the session at the store, and no tokens', async (t) => {
  await using site = await openSigned(WITH_SECRET, { SVC_OIDC_CLIENT_SECRET: SECRET });
  const [here, elsewhere] = [
    openBareBrowser(site.store.origin),
    openBareBrowser(site.store.origin),
  ];
  for (const browser of [here, elsewhere]) await openProfile(browser);
  const { token } = await logIn(t, site);
  const asked = await here.open(`${site.provider.issuer}/session/end`);
  const action = /action="([^"]+)"/.exec(asked.text)?.[1] ?? '';
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(asked.text)?.[1] ?? '';
  // The provider sends the logout token before it answers.
  const ended = await here.send(new URL(action, asked.url).href, { xsrf, logout: 'yes' });
  assert.equal(ended.status, 200, ended.text);
  const profile = (browser: BareBrowser) =>
    fetch(site.store.origin + PROFILE, {
      headers: { cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') },
      redirect: 'manual',
    });
  const answer = await profile(here);
  assert.equal(answer.status, 303, site.lines.join('\n'));
  assert.match(answer.headers.get('location') ?? '', /^\/sign-in\?/);
  assert.equal((await profile(elsewhere)).status, 200);
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${site.platform.baseUrl}/me`, { headers })).status, 200);
  // Signing in again is a new session.
  site.provider.account = { sub: 'ada', name: 'Ada' };
  assert.equal((await openProfile(here)).url, site.store.origin + PROFILE);
});
