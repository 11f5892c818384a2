import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.ts';

const UNSET = { apiUrl: null, origin: null, secret: null, name: null, trustProxy: null };

test('readSettings trims each setting, and returns null for missing settings', () => {
  assert.deepEqual(readSettings({}), UNSET);
  const empty = { SVC_API: '', SVC_WEB_ORIGIN: ' ', SVC_WEB_SECRET: '', SVC_WEB_NAME: '\t' };
  assert.deepEqual(readSettings(empty), UNSET);
  assert.deepEqual(
    readSettings({
      SVC_API: ' https://api.example/v1// ',
      SVC_WEB_ORIGIN: 'https://games.example/',
      SVC_WEB_SECRET: ` ${'s'.repeat(32)} `,
      SVC_WEB_NAME: ' Games ',
      SVC_TRUST_PROXY: '10.0.0.0/8 ',
      SVC_ELSE: 'x',
    }),
    {
      apiUrl: 'https://api.example/v1',
      origin: 'https://games.example',
      secret: 's'.repeat(32),
      name: 'Games',
      trustProxy: '10.0.0.0/8',
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
    ['SVC_WEB_SECRET', ['x'.repeat(32), 'x'.repeat(33)], ['x'.repeat(31), `${'x'.repeat(31)} `]],
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
  SVC_WEB_SECRET: must be 32 characters or more`,
  });
});
