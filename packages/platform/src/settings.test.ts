import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings, SettingsError } from './settings.ts';

test('readSettings takes what an operator sets', () => {
  const settings = readSettings({
    SVC_PUBLIC_URL: 'https://api.example/',
    SVC_WEB_ORIGIN: 'https://www.example',
    SVC_PLAY_ORIGIN: 'https://{slug}.play.example',
    SVC_DEVELOPER_SIGNUP: 'closed',
    SVC_DEVELOPERS: 'a@x.example b@x.example,c',
    SVC_RATE_LIMIT: 'off',
    SVC_TRUST_PROXY: '10.0.0.0/8, ::1',
    SVC_LIMIT_BUILD_FILES: '20',
    SVC_SOMETHING_ELSE: 'ignored',
    PATH: '/bin',
  });
  assert.equal(settings.publicUrl, 'https://api.example');
  assert.deepEqual(settings.developers, ['a@x.example', 'b@x.example', 'c']);
  assert.equal(settings.rateLimit, false);
  assert.equal(settings.limits.build_files, 20);
  assert.equal(settings.limits.tags, 10);
  assert.equal(readSettings({ SVC_WEB_ORIGIN: '' }).webOrigin, null);
});

test('readSettings tells all faults at once and never a value', () => {
  const wrong = {
    SVC_PUBLIC_URL: 'secret-public',
    SVC_WEB_ORIGIN: 'https://www.example/secret',
    SVC_PLAY_ORIGIN: 'ftp://secret',
    SVC_OIDC_ISSUER: 'secret-issuer',
    SVC_DATABASE_URL: 'mysql://user:secret@host/db',
    SVC_STORAGE_URL: 's3://secret',
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

test('SVC_PLAY_ORIGIN takes {slug} once, and not where digits would make an IPv4 address', () => {
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
  ];
  for (const SVC_PLAY_ORIGIN of refused) {
    assert.throws(() => readSettings({ SVC_PLAY_ORIGIN }), /SVC_PLAY_ORIGIN/, SVC_PLAY_ORIGIN);
  }
});
