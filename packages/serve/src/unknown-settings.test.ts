import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeUnknownSettings } from './unknown-settings.ts';

test('unknown settings are named in one line with the nearest known names, without values', () => {
  const environment = {
    SVC_RATELIMIT: 'secret-1',
    SVC_PUBLISH_HOKO: 'secret-2',
    SVC_OIDC_2_ISUER: 'secret-3',
    SVC_FAVORITE_COLOR: 'secret-4',
    SVC_RATE_LIMIT: 'off',
  };
  assert.equal(
    describeUnknownSettings(environment),
    'settings that do not exist are ignored: SVC_FAVORITE_COLOR, SVC_OIDC_2_ISUER (did you mean SVC_OIDC_2_ISSUER?), SVC_PUBLISH_HOKO (did you mean SVC_PUBLISH_HOOK?), SVC_RATELIMIT (did you mean SVC_RATE_LIMIT?). Correct or remove them',
  );
});

test('settings of the servers, variables of other programs, empty ones and other names are not unknown', () => {
  const names = [
    ...['SVC_DATABASE_URL', 'SVC_WEB_SECRET', 'SVC_OIDC_ISSUER', 'SVC_OIDC_9_CLIENT_SECRET'],
    ...['SVC_BACKUP_S3_SESSION_TOKEN', 'SVC_TOKEN', 'SVC_LAUNCH', 'SVC_TEST_SEED', 'SVC_MUTATION'],
    ...['SVC_LIMIT_BUILD_FILES', 'SVC_SETTINGS_DIR', 'AWS_PROFILE', 'RATELIMIT', 'SVCS'],
    // Of Kubernetes, for a Service with the name svc-web.
    ...[
      'SVC_WEB_SERVICE_HOST',
      'SVC_WEB_SERVICE_PORT_HTTP',
      'SVC_WEB_PORT',
      'SVC_WEB_PORT_80_TCP_ADDR',
    ],
  ];
  const environment = Object.fromEntries(names.map((name) => [name, 'x']));
  const empty = { SVC_RATELIMIT: ' ', SVC_HOOK: undefined };
  assert.equal(describeUnknownSettings({ ...environment, ...empty }), null);
});

test('a setting with the number of a provider that cannot exist is unknown', () => {
  assert.match(describeUnknownSettings({ SVC_OIDC_1_NAME: 'x' }) ?? '', /SVC_OIDC_1_NAME/);
  assert.match(describeUnknownSettings({ SVC_OIDC_10_NAME: 'x' }) ?? '', /SVC_OIDC_10_NAME/);
});
