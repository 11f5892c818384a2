import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProviderSettings } from './identity-settings.ts';

function read(environment: Readonly<Record<string, string>>) {
  const faults: string[] = [];
  return { providers: readProviderSettings(environment, faults), faults };
}

const FIRST = { SVC_OIDC_ISSUER: 'https://id.example', SVC_OIDC_AUDIENCE: 'svc' };
const IS_ADDRESS = 'must be an http or https address';
const IS_ISSUER = `${IS_ADDRESS} without user, query and fragment, of at most 255 characters`;

test('a provider has its issuer and client; the host is its name, and the command line uses the same client', () => {
  const { providers, faults } = read({
    SVC_OIDC_ISSUER: ' http://id.example:8080/tenant/ ',
    SVC_OIDC_AUDIENCE: 'svc',
  });
  assert.deepEqual(faults, []);
  assert.deepEqual(providers, [
    {
      setting: 'SVC_OIDC_ISSUER',
      issuer: 'http://id.example:8080/tenant/',
      ...{ name: 'id.example:8080', clientId: 'svc', cliClientId: 'svc', jwksUrl: null },
      offlineAccess: true,
    },
  ]);
  assert.deepEqual(read({}), { providers: [], faults: [] });
  // A file of settings for --dev may have it.
  assert.deepEqual(read({ SVC_OIDC_AUDIENCE: 'svc' }), { providers: [], faults: [] });
});

test('further providers have numbers, and may leave some out', () => {
  const { providers, faults } = read({
    ...FIRST,
    SVC_OIDC_NAME: 'Acme',
    SVC_OIDC_CLI_CLIENT_ID: 'svc-cli',
    SVC_OIDC_9_ISSUER: 'https://nine.example',
    SVC_OIDC_9_AUDIENCE: 'nine',
    SVC_OIDC_2_ISSUER: 'https://two.example',
    SVC_OIDC_2_AUDIENCE: 'two',
    SVC_OIDC_2_NAME: 'x'.repeat(40),
    SVC_OIDC_2_CLI_CLIENT_ID: 'two-cli',
    SVC_OIDC_2_JWKS_URL: 'https://two.example/keys',
    SVC_OIDC_2_OFFLINE_ACCESS: 'off',
    SVC_OIDC_2_CLIENT_SECRET: 'a setting of the store',
  });
  assert.deepEqual(faults, []);
  assert.deepEqual(
    providers.map((one) => Object.values(one)),
    [
      ['SVC_OIDC_ISSUER', 'https://id.example', null, true, 'Acme', 'svc', 'svc-cli'],
      [
        ...['SVC_OIDC_2_ISSUER', 'https://two.example', 'https://two.example/keys', false],
        ...['x'.repeat(40), 'two', 'two-cli'],
      ],
      ['SVC_OIDC_9_ISSUER', 'https://nine.example', null, true, 'nine.example', 'nine', 'nine'],
    ],
  );
});

test('each fault names its setting, and no value', () => {
  const rows: [Readonly<Record<string, string>>, string[]][] = [
    [
      { SVC_OIDC_ISSUER: 'https://id.example' },
      ['SVC_OIDC_AUDIENCE: required with SVC_OIDC_ISSUER'],
    ],
    [
      { ...FIRST, SVC_OIDC_2_ISSUER: 'https://b.example' },
      ['SVC_OIDC_2_AUDIENCE: required with SVC_OIDC_2_ISSUER'],
    ],
    [{ ...FIRST, SVC_OIDC_3_NAME: 'Three' }, ['SVC_OIDC_3_ISSUER: required with SVC_OIDC_3_NAME']],
    [
      { ...FIRST, SVC_OIDC_3_AUDIENCE: 'three', SVC_OIDC_3_NAME: 'Three' },
      ['SVC_OIDC_3_ISSUER: required with SVC_OIDC_3_AUDIENCE'],
    ],
    [
      { SVC_OIDC_4_ISSUER: 'https://b.example', SVC_OIDC_4_AUDIENCE: 'b' },
      ['SVC_OIDC_ISSUER: required with SVC_OIDC_4_ISSUER'],
    ],
    [
      { ...FIRST, SVC_OIDC_2_ISSUER: 'https://id.example', SVC_OIDC_2_AUDIENCE: 'b' },
      ['SVC_OIDC_2_ISSUER: is the same as SVC_OIDC_ISSUER'],
    ],
    [
      { ...FIRST, SVC_OIDC_2_ISSUER: 'https://id.example/b', SVC_OIDC_2_AUDIENCE: 'b' },
      [
        'SVC_OIDC_2_NAME: both providers are named alike. Set another name here or with SVC_OIDC_NAME',
      ],
    ],
    [
      {
        ...{ ...FIRST, SVC_OIDC_NAME: 'acme', SVC_OIDC_3_ISSUER: 'https://b.example' },
        ...{ SVC_OIDC_3_AUDIENCE: 'b', SVC_OIDC_3_NAME: 'Acme' },
      },
      [
        'SVC_OIDC_3_NAME: both providers are named alike. Set another name here or with SVC_OIDC_NAME',
      ],
    ],
    ...['SVC_OIDC_0_NAME', 'SVC_OIDC_1_ISSUER', 'SVC_OIDC_02_NAME', 'SVC_OIDC_10_ISSUER'].map(
      (name): [Readonly<Record<string, string>>, string[]] => [
        { ...FIRST, [name]: 'x' },
        [`${name}: the number must be from 2 to 9`],
      ],
    ),
    [{ SVC_OIDC_NAME: 'Acme' }, ['SVC_OIDC_ISSUER: required with SVC_OIDC_NAME']],
    [
      { SVC_OIDC_AUDIENCE: 'svc', SVC_OIDC_OFFLINE_ACCESS: 'off' },
      ['SVC_OIDC_ISSUER: required with SVC_OIDC_OFFLINE_ACCESS'],
    ],
    [{ ...FIRST, SVC_OIDC_OFFLINE_ACCESS: 'yes' }, ['SVC_OIDC_OFFLINE_ACCESS: must be on or off']],
    ...[
      ...['id.example', 'ftp://id.example', 'file:///id', 'https://id.example/?a'],
      ...['https://id.example/#a', 'https://me@id.example', 'https://:word@id.example'],
      `https://id.example/${'x'.repeat(237)}`,
    ].map((issuer): [typeof FIRST, string[]] => [
      { ...FIRST, SVC_OIDC_ISSUER: issuer },
      [`SVC_OIDC_ISSUER: ${IS_ISSUER}`],
    ]),
    ...['keys', 'file:///keys', 'data:,x'].map((url): [typeof FIRST, string[]] => [
      { ...FIRST, SVC_OIDC_JWKS_URL: url } as typeof FIRST,
      [`SVC_OIDC_JWKS_URL: ${IS_ADDRESS}`],
    ]),
    ...['x'.repeat(41), 'a\nb'].map((name): [typeof FIRST, string[]] => [
      { ...FIRST, SVC_OIDC_NAME: name } as typeof FIRST,
      ['SVC_OIDC_NAME: must be one line of at most 40 characters'],
    ]),
  ];
  for (const [environment, faults] of rows) assert.deepEqual(read(environment).faults, faults);
});

test('an issuer may have 255 characters, and a long host is cut for the name', () => {
  const issuer = `https://${'a'.repeat(60)}.example/`.padEnd(255, 'x');
  const { providers, faults } = read({ ...FIRST, SVC_OIDC_ISSUER: issuer });
  assert.deepEqual(faults, []);
  assert.deepEqual([providers[0]?.issuer, providers[0]?.name], [issuer, 'a'.repeat(40)]);
});
