// Files of a build that should not be published: keys and tokens by name and by text, sources, hidden files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build, warned } from './describe-builds.ts';

test('secrets, source maps and files that are never served cause a warning with their name', async () => {
  const reported = await build({
    '.env': 'A=1',
    '.git/config': '[core]',
    '.well-known/x.json': '{}',
    'config.json': '{"key":"-----BEGIN RSA PRIVATE KEY-----"}',
    'ids/server.pem': 'x',
    'main.js.map': '{}',
    'token.js': `const t = "svc_${'a1'.repeat(21)}"`,
  });
  assert.deepEqual(warned(reported), [
    ['secret_published', '.env'],
    ['file_not_served', '.env'],
    ['secret_published', '.git/config'],
    ['file_not_served', '.git/config'],
    ['file_not_served', '.well-known/x.json'],
    ['secret_published', 'config.json'],
    ['secret_published', 'ids/server.pem'],
    ['source_map_published', 'main.js.map'],
    ['secret_published', 'token.js'],
  ]);
});

test('every name of a secret causes a warning, and names that only resemble one do not', async () => {
  const secret: Readonly<Record<string, readonly string[]>> = {
    'an environment file': ['.env', 'a/.env', '.ENV', '.env.local', '.env.production'],
    "a version control's store": ['.git', '.git/config', 'a/.hg/store', '.svn/entries'],
    credentials: [
      ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pypirc', '.netrc', '.git-credentials'],
      ...['.htpasswd', 'a/.npmrc', '.ssh/known_hosts', '.aws/config', '.gnupg/pubring.kbx'],
      ...['.kube/config', '.docker/config.json', 'credentials.json', 'a/credentials.json'],
      ...['serviceaccount.json', 'service-account.json', 'service-account-prod.json'],
      ...['client_secret.json', 'client_secret_1.apps.json'],
    ],
    'a key': [
      ...['a.pem', 'a.key', 'a.p12', 'a.pfx', 'a.jks', 'a.keystore', 'a.ppk', 'a.kdbx', 'A.PFX'],
      ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'a/id_rsa', 'id_ed25519_sk', 'id_rsa_old'],
    ],
  };
  const harmless = [
    ...['.env.example', '.env.sample', '.env.template', 'env', 'a.env', '.envrc', '.environment'],
    ...['.gitignore', '.gitattributes', 'git/a', 'x.git/a', '.npmrc.txt', 'npmrc', 'ssh/a'],
    ...['.awsome/a', 'a.pem.txt', 'key', 'keys/a', 'monkey', 'a.keys', 'id_rsa.pub', 'valid_rsa'],
    ...['id_rsax', 'my-credentials.json', 'credentials.js', 'client_secret.js', 'a.p12x'],
  ];
  for (const [what, paths] of Object.entries(secret)) {
    for (const path of paths) assert.deepEqual(await secretsIn({ [path]: 'x' }), [[path, what]]);
  }
  for (const path of harmless) assert.deepEqual(await secretsIn({ [path]: 'x' }), [], path);
});

test('every mark of a secret in a text causes a warning, and texts that only resemble one do not', async () => {
  const letters = (count: number): string => 'aB3'.repeat(count).slice(0, count);
  const capitals = (count: number): string => 'AB3'.repeat(count).slice(0, count);
  const secret: Readonly<Record<string, readonly string[]>> = {
    'a private key': ['', 'RSA ', 'EC ', 'OPENSSH ', 'DSA ', 'ENCRYPTED ', 'PGP ONE '].map(
      (kind) => `-----BEGIN ${kind}PRIVATE KEY-----`,
    ),
    'an access token of this platform': [`svc_${letters(42)}`],
    'an AWS access key': [`AKIA${capitals(16)}`],
    'a GitHub token': ['p', 'o', 'u', 's', 'r'].map((kind) => `gh${kind}_${letters(36)}`),
    'a Stripe key': [`sk_live_${letters(24)}`, `sk_live_${letters(99)}`],
    'a Slack token': ['a', 'b', 'p'].map((kind) => `xox${kind}-${letters(9)}-${letters(10)}`),
  };
  const harmless = [
    ...['-----BEGIN PUBLIC KEY-----', '-----BEGIN CERTIFICATE-----', '-----END PRIVATE KEY-----'],
    ...[`svc_${letters(41)}`, `svc_${letters(43)}`, `xsvc_${letters(42)}`],
    ...[`AKIA${capitals(15)}`, `AKIA${capitals(17)}`, `AKIA${letters(16)}`, `XAKIA${capitals(16)}`],
    ...[`ghp_${letters(35)}`, `ghp_${letters(37)}`, `ghx_${letters(36)}`],
    ...[`sk_live_${letters(23)}`, `sk_test_${letters(24)}`, `xoxb-${letters(19)}`],
    `xoxz-${letters(20)}`,
  ];
  // Every kind of text is searched.
  for (const name of ['a.js', 'a.json', 'a.txt', 'a.html', 'a.css', 'a.svg']) {
    assert.equal((await secretsIn({ [name]: `x="AKIA${capitals(16)}"` })).length, 1, name);
  }
  for (const [what, texts] of Object.entries(secret)) {
    for (const text of texts) {
      assert.deepEqual(await secretsIn({ 'a.js': `const k = "${text}";` }), [['a.js', what]], text);
    }
  }
  for (const text of harmless) assert.deepEqual(await secretsIn({ 'a.js': `"${text}"` }), [], text);
});

/** The files with a secret, and the messages about them. */
async function secretsIn(files: Readonly<Record<string, string>>): Promise<(string | null)[][]> {
  const { warnings } = await build(files);
  return warnings
    .filter(({ code }) => code === 'secret_published')
    .map(({ entry, message }) => {
      return [entry, /(?:looks like|appears to contain) (.*)\.$/.exec(message)?.[1] ?? null];
    });
}

test('every kind of source map causes a warning, and every file below a name that begins with a dot', async () => {
  const built = await build({
    'a.js.map': 'x',
    'a.mjs.map': 'x',
    'a.css.map': 'x',
    'a.wasm.map': 'x',
    'B.JS.MAP': 'x',
    'level.map': 'x',
    'a.json.map': 'x',
    'a.js.map.txt': 'x',
    'b/.hidden': 'x',
    'b/.c/d': 'x',
    'b/..e': 'x',
    'b/e.f': 'x',
  });
  assert.deepEqual(warned(built), [
    ...['B.JS.MAP', 'a.css.map', 'a.js.map', 'a.mjs.map', 'a.wasm.map'].map(
      (path): [string, string] => ['source_map_published', path],
    ),
    ...['b/..e', 'b/.c/d', 'b/.hidden'].map((path): [string, string] => ['file_not_served', path]),
  ]);
});
