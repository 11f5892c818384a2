import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readObserveSettings } from '@svc/observe';
import { readSettings } from './settings.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const UNSET = {
  apiUrl: null,
  origin: null,
  secret: null,
  otherSecrets: [],
  databaseUrl: null,
  drainSeconds: null,
  name: null,
  footerLinks: [],
  trustProxy: null,
  securityContacts: [],
  clients: [],
  observe: readObserveSettings({}, []),
};

test('readSettings trims each setting, and returns null for missing settings', () => {
  assert.deepEqual(readSettings({}), UNSET);
  const empty = { SVC_API: '', SVC_WEB_ORIGIN: ' ', SVC_WEB_SECRET: '', SVC_WEB_NAME: '\t' };
  assert.deepEqual(readSettings(empty), UNSET);
  assert.deepEqual(
    readSettings({
      SVC_API: ' https://api.example/v1// ',
      SVC_WEB_ORIGIN: 'https://games.example/',
      SVC_WEB_SECRET: ` ${SECRET} `,
      SVC_WEB_OTHER_SECRETS: ` ${SECRET}1  ${SECRET}2\n`,
      SVC_WEB_DATABASE_URL: 'postgres://me:word@db.example/web ',
      SVC_WEB_NAME: ' Games ',
      SVC_WEB_LINKS: 'Imprint=https://games.example/imprint',
      SVC_TRUST_PROXY: '10.0.0.0/8 ',
      SVC_DRAIN_SECONDS: ' 120',
      SVC_SECURITY_CONTACT: ' mailto:a@x.example ',
      SVC_METRICS_PORT: '0',
      SVC_OIDC_ISSUER: ' https://id.example/realms/x ',
      SVC_OIDC_CLIENT_SECRET: ' s3cret ',
      SVC_OIDC_CLIENT_AUTH: 'post ',
      SVC_ELSE: 'x',
    }),
    {
      apiUrl: 'https://api.example/v1',
      origin: 'https://games.example',
      secret: SECRET,
      otherSecrets: [`${SECRET}1`, `${SECRET}2`],
      databaseUrl: 'postgres://me:word@db.example/web',
      drainSeconds: 120,
      name: 'Games',
      footerLinks: [{ name: 'Imprint', address: 'https://games.example/imprint' }],
      trustProxy: '10.0.0.0/8',
      securityContacts: ['mailto:a@x.example'],
      clients: [
        {
          issuer: 'https://id.example/realms/x',
          setting: 'SVC_OIDC_CLIENT_SECRET',
          kind: 'secret',
          secret: 's3cret',
          sentBy: 'post',
        },
      ],
      observe: { ...UNSET.observe, metrics: { host: '127.0.0.1', port: 0 } },
    },
  );
});

test('readSettings accepts valid values of each setting and rejects others', () => {
  const rows: [name: string, taken: string[], refused: string[]][] = [
    [
      'SVC_API',
      ['http://127.0.0.1:8787', 'https://x.example/api'],
      [
        'x.example',
        'ftp://x.example',
        'https://x.example?q',
        'https://x.example/#f',
        'https://me@x.example',
        'wss://x.example',
      ],
    ],
    [
      'SVC_WEB_ORIGIN',
      ['http://127.0.0.1:8788', 'https://x.example', 'https://x.example/'],
      [
        'https://x.example/path',
        'https://x.example:443',
        'HTTPS://x.example',
        'https://x.example?',
        'https://me@x.example',
        'ftp://x.example',
        'x.example',
      ],
    ],
    [
      'SVC_WEB_SECRET',
      [SECRET, `${SECRET}x`, `abcdefg${'x'.repeat(25)}`],
      ['x'.repeat(64), SECRET.slice(1), `${SECRET.slice(1)} `, `abcdef${'x'.repeat(26)}`],
    ],
    ['SVC_DRAIN_SECONDS', ['0', '3600'], ['3601', '-1', '1.5', '30s']],
    ['SVC_WEB_LINKS', ['A=https://x.example; B=mailto:a@x.example'], ['A', 'A=javascript:b']],
    ['SVC_WEB_NAME', ['x'.repeat(40), '🌙'.repeat(40)], ['x'.repeat(41)]],
    [
      'SVC_TRUST_PROXY',
      ['10.0.0.1', '10.0.0.0/8', '::1', 'FE80::/64', 'fe80::/128'],
      ['proxy.example', '10.0.0.0/', '10.0.0.0/1000', '10.0.0.1 10.0.0.2', 'true'],
    ],
  ];
  for (const [name, taken, refused] of rows) {
    for (const value of taken) assert.doesNotThrow(() => readSettings({ [name]: value }), value);
    for (const value of refused) {
      assert.throws(
        () => readSettings({ [name]: value }),
        new RegExp(`\n {2}${name}: must be `),
        value,
      );
    }
  }
});

test('readSettings reports all faults in one error, without values', () => {
  const environment = {
    SVC_API: 'nonsense-api',
    SVC_WEB_ORIGIN: 'nonsense-origin',
    SVC_WEB_SECRET: 'too-short',
  };
  assert.throws(() => readSettings(environment), {
    message: `Cannot start with these settings:
  SVC_API: must be an http or https address without query
  SVC_WEB_ORIGIN: must be an origin such as https://games.example
  SVC_WEB_SECRET: must be 32 random characters or more, such as the output of openssl rand -hex 32`,
  });
});

test('readSettings requires a secret and an origin with a shared database, and a secret with other secrets', () => {
  const shared = { SVC_WEB_DATABASE_URL: 'postgres://db.example/web' };
  assert.throws(() => readSettings(shared), {
    message: `Cannot start with these settings:
  SVC_WEB_SECRET: required with SVC_WEB_DATABASE_URL, with the same value for every process
  SVC_WEB_ORIGIN: required with SVC_WEB_DATABASE_URL, with the same value for every process`,
  });
  const complete = { SVC_WEB_SECRET: SECRET, SVC_WEB_ORIGIN: 'https://games.example' };
  assert.doesNotThrow(() => readSettings({ ...shared, ...complete }));
  assert.throws(() => readSettings({ SVC_WEB_OTHER_SECRETS: SECRET }), {
    message: `Cannot start with these settings:
  SVC_WEB_SECRET: required with SVC_WEB_OTHER_SECRETS`,
  });
});

test('readSettings rejects a weak one of the other secrets, and an address of another database', () => {
  const rows = [
    ['SVC_WEB_OTHER_SECRETS', `${SECRET} short`],
    ['SVC_WEB_OTHER_SECRETS', `${SECRET},${'x'.repeat(40)} ${'x'.repeat(40)}`],
    ['SVC_WEB_DATABASE_URL', 'mysql://db.example/web'],
    ['SVC_WEB_DATABASE_URL', 'db.example/web'],
  ] as const;
  for (const [name, value] of rows) {
    assert.throws(
      () => readSettings({ SVC_WEB_SECRET: SECRET, [name]: value }),
      new RegExp(`\n {2}${name}: must be `),
      value,
    );
  }
});

test('readSettings reads a secret or a key for each of nine identity providers, and ignores those without', () => {
  const environment = {
    SVC_OIDC_ISSUER: 'https://one.example',
    SVC_OIDC_AUDIENCE: 'a setting of the API',
    SVC_OIDC_2_ISSUER: 'http://127.0.0.1:5556/dex',
    SVC_OIDC_2_CLIENT_KEY_FILE: '/etc/svc/key.pem',
    SVC_OIDC_9_ISSUER: 'https://nine.example',
    SVC_OIDC_9_CLIENT_SECRET: 'nine',
    SVC_OIDC_10_ISSUER: 'https://ten.example',
    SVC_OIDC_10_CLIENT_SECRET: 'ten',
  };
  assert.deepEqual(readSettings(environment).clients, [
    {
      issuer: 'http://127.0.0.1:5556/dex',
      setting: 'SVC_OIDC_2_CLIENT_KEY_FILE',
      kind: 'key',
      file: '/etc/svc/key.pem',
    },
    {
      issuer: 'https://nine.example',
      setting: 'SVC_OIDC_9_CLIENT_SECRET',
      kind: 'secret',
      secret: 'nine',
      sentBy: null,
    },
  ]);
});

test('readSettings reports every fault of the identity providers, without values', () => {
  const issuers = [
    'id.example',
    'ftp://id.example',
    'https://id.example?q',
    'https://me@id.example',
  ];
  for (const issuer of issuers) {
    assert.throws(() => readSettings({ SVC_OIDC_3_ISSUER: issuer }), {
      message: `Cannot start with these settings:
  SVC_OIDC_3_ISSUER: must be an http or https address without query`,
    });
  }
  const environment = {
    SVC_OIDC_CLIENT_SECRET: 'hidden',
    SVC_OIDC_2_ISSUER: 'https://id.example',
    SVC_OIDC_2_CLIENT_SECRET: 'hidden',
    SVC_OIDC_2_CLIENT_KEY_FILE: 'hidden',
    SVC_OIDC_4_ISSUER: 'https://id.example:443/',
    SVC_OIDC_5_CLIENT_KEY_FILE: 'hidden',
    SVC_OIDC_6_CLIENT_AUTH: 'hidden',
    SVC_OIDC_7_CLIENT_AUTH: 'basic',
    SVC_OIDC_7_CLIENT_KEY_FILE: 'hidden',
    SVC_OIDC_7_ISSUER: 'https://seven.example',
  };
  assert.throws(() => readSettings(environment), {
    message: `Cannot start with these settings:
  SVC_OIDC_ISSUER: required with SVC_OIDC_CLIENT_SECRET
  SVC_OIDC_2_CLIENT_KEY_FILE: cannot be combined with SVC_OIDC_2_CLIENT_SECRET
  SVC_OIDC_4_ISSUER: must differ from SVC_OIDC_2_ISSUER
  SVC_OIDC_5_ISSUER: required with SVC_OIDC_5_CLIENT_KEY_FILE
  SVC_OIDC_6_CLIENT_AUTH: must be basic or post
  SVC_OIDC_6_CLIENT_SECRET: required with SVC_OIDC_6_CLIENT_AUTH
  SVC_OIDC_7_CLIENT_SECRET: required with SVC_OIDC_7_CLIENT_AUTH`,
  });
});
