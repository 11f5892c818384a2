import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { readObserveSettings } from '@svc/observe';
import { readSettings, SettingsError } from './settings.ts';

test('readSettings reads all settings', () => {
  const settings = readSettings({
    SVC_PUBLIC_URL: 'https://api.example/base//',
    SVC_WEB_ORIGIN: ' https://www.example/ ',
    SVC_PLAY_ORIGIN: 'https://{slug}.play.example/',
    SVC_OIDC_ISSUER: 'https://id.example/tenant/',
    SVC_OIDC_AUDIENCE: 'svc',
    SVC_OIDC_JWKS_URL: 'https://id.example/keys?a=b',
    SVC_DATA_DIR: ' /var/lib/svc-platform ',
    SVC_DATABASE_URL: 'postgresql://svc@db.example/svc',
    SVC_DATABASE_POOL: '40',
    SVC_DATABASE_TIMEOUT_MS: '1500',
    SVC_MIGRATE: 'off',
    SVC_DRAIN_SECONDS: '120',
    SVC_STORAGE_URL: ' s3://games/some/prefix/?endpoint=https://s3.example:9000&region=eu-1 ',
    SVC_STORAGE_TIMEOUT_MS: '1500',
    SVC_STORAGE_DOWNLOADS: 'redirect',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    SVC_DEVELOPER_SIGNUP: 'closed',
    SVC_DEVELOPERS: 'a@x.example b@x.example,c\n, d',
    SVC_PRIVATE_ISSUERS: 'https://gitlab.lan, http://ci.lan:8080/a',
    SVC_RATE_LIMIT: 'off',
    SVC_STATS: 'off',
    SVC_TRUST_PROXY: '10.0.0.0/8, ::1',
    SVC_PUBLISH_LEASE_SECONDS: '5',
    SVC_PUBLISH_HOOK: 'https://judge.example',
    SVC_PUBLISH_HOOK_TIMEOUT: '10',
    SVC_PUBLISH_HOOK_SECRET: 'a secret of the hook',
    SVC_BLOCKED_WORDS: '/etc/svc/words.txt',
    SVC_SPOOL_DIR: '/var/tmp/svc',
    SVC_CACHE_MIB: '0',
    SVC_CACHE_DIR: '/var/cache/svc',
    SVC_SECURITY_CONTACT: 'mailto:a@x.example https://x.example/s',
    SVC_TAKEN_DOWN_STATUS: '451',
    SVC_SMTP_URL: 'smtp://mailer:p%40ss@mail.example:2525',
    SVC_MAIL_FROM: 'The store <store@x.example>',
    SVC_LOG_LEVEL: 'warn',
    SVC_METRICS_PORT: '9464',
    SVC_LIMIT_BUILD_FILES: '20',
    SVC_SOMETHING_ELSE: 'ignored',
    PATH: '/bin',
  });
  assert.deepEqual(settings, {
    publicUrl: 'https://api.example/base',
    webOrigin: 'https://www.example',
    playOrigin: 'https://{slug}.play.example',
    providers: [
      {
        setting: 'SVC_OIDC_ISSUER',
        // As tokens name it.
        issuer: 'https://id.example/tenant/',
        ...{ name: 'id.example', clientId: 'svc', cliClientId: 'svc' },
        offlineAccess: true,
        jwksUrl: 'https://id.example/keys?a=b',
      },
    ],
    dataDir: '/var/lib/svc-platform',
    databaseUrl: 'postgresql://svc@db.example/svc',
    databasePool: 40,
    databaseTimeoutMs: 1500,
    migrate: false,
    drainSeconds: 120,
    storage: {
      bucket: 'games',
      prefix: 'some/prefix/',
      endpoint: 'https://s3.example:9000',
      region: 'eu-1',
      timeoutMs: 1500,
      redirects: true,
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: 'token' },
    },
    developerSignup: 'closed',
    developers: ['a@x.example', 'b@x.example', 'c', 'd'],
    privateIssuers: ['https://gitlab.lan', 'http://ci.lan:8080/a'],
    rateLimit: 'off',
    stats: false,
    trustProxy: '10.0.0.0/8, ::1',
    publishLeaseSeconds: 5,
    publishHook: {
      ...{ kind: 'address', url: 'https://judge.example', secret: 'a secret of the hook' },
      timeoutMs: 10_000,
    },
    blockedWords: '/etc/svc/words.txt',
    spoolDir: '/var/tmp/svc',
    cacheMib: 0,
    cacheDir: '/var/cache/svc',
    takenDownStatus: 451,
    securityContacts: ['mailto:a@x.example', 'https://x.example/s'],
    mail: {
      ...{ host: 'mail.example', port: 2525, secure: false, requiresTls: true },
      login: { user: 'mailer', pass: 'p@ss' },
      from: { name: 'The store', address: 'store@x.example' },
    },
    observe: {
      ...{ logLevel: 'warn', logFormat: null, logAddresses: false },
      metrics: { host: '127.0.0.1', port: 9464 },
      traces: null,
    },
    limits: { ...PLATFORM_LIMITS, build_files: 20 },
  });
});

test('readSettings returns null or the default for an unset or empty setting', () => {
  const nothing = {
    publicUrl: null,
    webOrigin: null,
    playOrigin: null,
    providers: [],
    dataDir: null,
    databaseUrl: null,
    databasePool: 16,
    databaseTimeoutMs: 4000,
    migrate: true,
    drainSeconds: 30,
    storage: null,
    developerSignup: null,
    developers: [],
    privateIssuers: [],
    rateLimit: null,
    stats: true,
    trustProxy: null,
    publishLeaseSeconds: 12,
    publishHook: null,
    blockedWords: null,
    spoolDir: null,
    cacheMib: 1024,
    cacheDir: null,
    takenDownStatus: 404,
    securityContacts: [],
    mail: null,
    observe: readObserveSettings({}, []),
    limits: PLATFORM_LIMITS,
  };
  assert.deepEqual(readSettings({}), nothing);
  const names = ['PUBLIC_URL', 'WEB_ORIGIN', 'PLAY_ORIGIN', 'OIDC_ISSUER', 'OIDC_AUDIENCE'];
  names.push('OIDC_JWKS_URL', 'DATABASE_URL', 'STORAGE_URL', 'DEVELOPER_SIGNUP', 'DEVELOPERS');
  names.push('STORAGE_TIMEOUT_MS', 'STORAGE_DOWNLOADS');
  names.push('RATE_LIMIT', 'TRUST_PROXY', 'DATABASE_POOL', 'DATABASE_TIMEOUT_MS');
  names.push(
    'CACHE_MIB',
    'CACHE_DIR',
    'PUBLISH_LEASE_SECONDS',
    'SPOOL_DIR',
    'MIGRATE',
    'DRAIN_SECONDS',
  );
  const empty = Object.fromEntries(names.map((name) => [`SVC_${name}`, ' ']));
  assert.deepEqual(readSettings(empty), nothing);
});

test('each setting accepts only its valid values', () => {
  const rows: [name: string, taken: string[], refused: string[]][] = [
    [
      'SVC_PUBLIC_URL',
      ['http://127.0.0.1:8787', 'https://x.example/a/b'],
      [
        ...['x.example', 'ftp://x.example', 'https://x.example/?a', 'https://x.example/#a'],
        ...['https://me@x.example', 'https://me:pass@x.example', 'javascript:alert(1)'],
      ],
    ],
    [
      'SVC_WEB_ORIGIN',
      ['https://x.example', 'http://x.example:8788/', 'http://[::1]:8788'],
      [
        ...['https://x.example/shop', 'https://x.example?a', 'https://me@x.example'],
        ...['https://X.example', 'https://x.example:443', 'file:///x', '*', 'null'],
      ],
    ],
    [
      'SVC_DATABASE_URL',
      ['postgres://u:p@h:5432/d', 'postgresql:///d'],
      ['mysql://h/d', 'xpostgres://h/d', 'postgres:/h/d', 'postgres://h:port/d'],
    ],
    ['SVC_DATABASE_POOL', ['2', '1000'], ['0', '1', '1001', '-2', '2.5', 'all']],
    ['SVC_DATABASE_TIMEOUT_MS', ['100', '60000'], ['99', '60001', '4s', '1e3']],
    ['SVC_DEVELOPER_SIGNUP', ['open', 'closed'], ['OPEN', 'yes', 'openx']],
    ['SVC_DRAIN_SECONDS', ['0', '3600'], ['3601', '-1', '1.5', '30s']],
    ['SVC_MIGRATE', ['on', 'off'], ['ON', 'no', '0', 'offx']],
    ['SVC_PUBLISH_LEASE_SECONDS', ['1', '3600'], ['0', '3601', '1.5']],
    ['SVC_CACHE_MIB', ['0', '100000000'], ['100000001', '-1', '1e3']],
    ['SVC_RATE_LIMIT', ['on', 'own', 'off'], ['ON', 'no', '0', 'offx', 'shared ']],
    [
      'SVC_TRUST_PROXY',
      ['10.0.0.1', '10.0.0.0/8', 'fd00::/8,::1', '::ffff:10.0.0.1'],
      ['true', '1', '*', 'proxy.example', '10.0.0', '10.0.0.0/', '10.0.0.1;10.0.0.2', '10.0.0.1,'],
    ],
    [
      'SVC_LIMIT_TAGS',
      ['1', '10', ' 7 ', '999999999999999'],
      ['0', '-1', '+1', '1.5', '1e3', '010', '0x1', '1000000000000000', '', 'ten'],
    ],
    [
      'SVC_LIMIT_DELETED_GAME_DAYS',
      ['0', '1', ' 14 ', '365'],
      ['366', '-1', '00', '01', '1.5', '1e2', '', 'ten'],
    ],
    ['SVC_LIMIT_AUDIT_DAYS', ['0', '1', '400', '36500'], ['36501', '-1', '00', '1.5', '', 'ten']],
    ['SVC_LIMIT_CONSTRUCTOR', [], ['1']],
    [
      'SVC_STORAGE_URL',
      [
        ...['s3://games?region=eu-1', 's3://games/?region=eu-1', 's3://games/a/b_c.d?region=eu-1'],
        ...['s3://games?endpoint=http://127.0.0.1:9000', 's3://My_games.x?endpoint=https://s/a/b'],
      ],
      [
        ...['file:///x', 'https://games.example', 's3:games', 's3://?region=a', 's3://x?region=a'],
        ...[
          's3://games',
          's3://games?region=',
          's3://games?region=a&region=b',
          's3://-ab?region=a',
        ],
        ...['s3://games:80?region=a', 's3://games?region=a&b=c', 's3://games?region=a#b'],
        ...['s3://games/a//b?region=a', 's3://games/a%20b?region=a', 's3://me:pass@games?region=a'],
        ...['s3://games?endpoint=s3.example', 's3://games?endpoint=https://me@s3.example'],
        ...['s3://games?endpoint=https://s3.example?a', 's3://games?endpoint=ftp://s3.example'],
      ],
    ],
    ['SVC_STORAGE_TIMEOUT_MS', ['100', '60000'], ['99', '60001', '1.5', 'x']],
    ['SVC_SMTP_TLS', ['required', 'off'], ['OFF', 'on', 'starttls']],
    ['SVC_STORAGE_DOWNLOADS', ['stream', 'redirect'], ['REDIRECT', 'off', 'streams']],
  ];
  for (const [name, taken, refused] of rows) {
    for (const value of taken) readSettings({ [name]: value });
    for (const value of refused) {
      assert.throws(
        () => readSettings({ [name]: value }),
        (error: unknown) => {
          assert.ok(error instanceof SettingsError);
          assert.deepEqual([...new Set(error.faults.map((fault) => fault.split(':')[0]))], [name]);
          return true;
        },
        `${name}=${value}`,
      );
    }
  }
  const rateLimit = (value: string, more = {}) =>
    readSettings({ SVC_RATE_LIMIT: value, ...more }).rateLimit;
  assert.deepEqual([rateLimit('on'), rateLimit('own'), rateLimit('off')], [null, 'own', 'off']);
  assert.equal(rateLimit('shared', { SVC_DATABASE_URL: 'postgres://db/x' }), 'shared');
  assert.throws(() => rateLimit('shared'), /SVC_RATE_LIMIT: shared needs PostgreSQL/);
  assert.equal(readSettings({ SVC_DEVELOPER_SIGNUP: 'open' }).developerSignup, 'open');
});

test('readSettings reports all faults at once, without values', () => {
  const wrong = {
    SVC_PUBLIC_URL: 'secret-public',
    SVC_WEB_ORIGIN: 'https://www.example/secret',
    SVC_PLAY_ORIGIN: 'ftp://secret',
    SVC_OIDC_ISSUER: 'secret-issuer',
    SVC_DATABASE_URL: 'mysql://user:secret@host/db',
    SVC_STORAGE_URL: 's3://secret:secret@secret',
    SVC_SMTP_URL: 'smtp://mailer:secret@mail.example/secret',
    SVC_MAIL_FROM: 'secret',
    SVC_STORAGE_TIMEOUT_MS: 'secret',
    SVC_STORAGE_DOWNLOADS: 'secret',
    SVC_DEVELOPER_SIGNUP: 'secret',
    SVC_RATE_LIMIT: 'secret',
    SVC_TRUST_PROXY: 'secret',
    SVC_LIMIT_TAGS: 'secret',
    SVC_LIMIT_NO_SUCH: '5',
  };
  assert.throws(
    () => readSettings(wrong),
    (error: unknown) => {
      assert.ok(error instanceof SettingsError);
      for (const name of Object.keys(wrong)) assert.ok(error.message.includes(name), name);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    },
  );
});

test('SVC_PLAY_ORIGIN accepts {slug} once, and not where digits would make an IPv4 address', () => {
  const taken = [
    'https://{slug}.play.example',
    'https://play-{slug}.example:8443',
    'http://{slug}.localhost/',
  ];
  for (const SVC_PLAY_ORIGIN of taken) readSettings({ SVC_PLAY_ORIGIN });
  const refused = [
    'http://{slug}',
    'http://127.0.0.{slug}',
    'https://{slug}.{slug}.example',
    'https://x.example/{slug}',
    'https://{slug}.example:{slug}',
    'https://{name}.play.example',
    'https://{slug}.play.example/games',
  ];
  for (const SVC_PLAY_ORIGIN of refused) {
    assert.throws(() => readSettings({ SVC_PLAY_ORIGIN }), /SVC_PLAY_ORIGIN/, SVC_PLAY_ORIGIN);
  }
});

test('an object store needs no credentials in the environment, but no half of them', () => {
  const SVC_STORAGE_URL = 's3://games?region=eu-1';
  const read = (more: Record<string, string>) => readSettings({ SVC_STORAGE_URL, ...more }).storage;
  assert.deepEqual(read({}), {
    bucket: 'games',
    prefix: '',
    endpoint: null,
    region: 'eu-1',
    timeoutMs: 4000,
    redirects: false,
    credentials: null,
  });
  const [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN] = ['key', 'secret', 'token'];
  assert.deepEqual(read({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY })?.credentials, {
    accessKeyId: 'key',
    secretAccessKey: 'secret',
  });
  assert.throws(() => read({ AWS_ACCESS_KEY_ID }), /AWS_SECRET_ACCESS_KEY: required with/);
  assert.throws(() => read({ AWS_SECRET_ACCESS_KEY }), /AWS_ACCESS_KEY_ID: required with/);
  assert.throws(() => read({ AWS_SESSION_TOKEN }), /AWS_ACCESS_KEY_ID: required with/);
  assert.equal(readSettings({ AWS_ACCESS_KEY_ID }).storage, null, 'without a store it is unused');
});

test('a mail server needs a sender, and TLS unless it is on this machine', () => {
  const SVC_MAIL_FROM = 'store@x.example';
  const read = (SVC_SMTP_URL: string, more: Record<string, string> = {}) =>
    readSettings({ SVC_SMTP_URL, SVC_MAIL_FROM, ...more }).mail;
  const plain = { secure: false, login: null, from: { name: '', address: SVC_MAIL_FROM } };
  assert.deepEqual(read('smtp://mail.example'), {
    ...{ ...plain, host: 'mail.example', port: 587, requiresTls: true },
  });
  assert.deepEqual(read('smtps://mail.example/'), {
    ...{ ...plain, host: 'mail.example', port: 465, secure: true, requiresTls: true },
  });
  for (const [url, host] of [
    ['smtp://127.0.0.1:1025', '127.0.0.1'],
    ['smtp://localhost:1025', 'localhost'],
    ['smtp://LOCALHOST:1025', 'LOCALHOST'],
    ['smtp://[::1]:1025', '::1'],
  ] as const) {
    assert.deepEqual(read(url), { ...plain, host, port: 1025, requiresTls: false }, url);
    assert.equal(read(url, { SVC_SMTP_TLS: 'required' })?.requiresTls, true);
  }
  assert.equal(read('smtp://127.example')?.requiresTls, true);
  assert.equal(read('smtp://mail.example', { SVC_SMTP_TLS: 'off' })?.requiresTls, false);
  assert.throws(
    () => readSettings({ SVC_SMTP_URL: 'smtp://mail.example' }),
    /SVC_MAIL_FROM: required with SVC_SMTP_URL/,
  );
  assert.equal(readSettings({ SVC_MAIL_FROM }).mail, null);
  for (const url of [
    ...['mail.example', 'https://mail.example', 'smtp:mail.example', 'smtp://', 'smtp://:25'],
    ...['smtp://mail.example/x', 'smtp://mail.example?a=b', 'smtp://mail.example#a'],
    ...['smtp://:password@mail.example', 'smtp://mail%20x.example'],
    ...['smtp://a:%zz@mail.example', 'smtp://%zz@mail.example', 'smtp://mail.example:port'],
  ]) {
    assert.throws(() => read(url), /SVC_SMTP_URL: must be/, url);
  }
  const senders: readonly (readonly [text: string, name: string, address: string])[] = [
    ['store@x.example', '', 'store@x.example'],
    ['The store <store@x.example>', 'The store', 'store@x.example'],
    ['<store@x.example>', '', 'store@x.example'],
    ['Läden & mehr <store@x.example>', 'Läden & mehr', 'store@x.example'],
  ];
  for (const [text, name, address] of senders) {
    const mail = read('smtp://mail.example', { SVC_MAIL_FROM: text });
    assert.deepEqual(mail?.from, { name, address }, text);
  }
  for (const from of [
    ...[
      'store',
      '@x.example',
      'store@',
      'a@b@c',
      'a@x.example, b@x.example',
      'Store store@x.example',
    ],
    ...['<store@x.example', 'store@x.example>', 'A\nBcc: b@x.example <store@x.example>', 'a b@c'],
  ]) {
    const more = { SVC_MAIL_FROM: from };
    assert.throws(() => read('smtp://mail.example', more), /SVC_MAIL_FROM: must be/, from);
  }
});
