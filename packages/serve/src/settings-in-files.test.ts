import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readSettingsInFiles } from './settings-in-files.ts';

function folderWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-settings-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('each file is a setting, without the line break at its end', (t) => {
  const folder = folderWith(t, {
    SVC_DATABASE_URL: 'postgres://db/svc\n',
    AWS_SECRET_ACCESS_KEY: 'k',
  });
  const environment = { SVC_SETTINGS_DIR: folder, SVC_WEB_NAME: 'Games' };
  assert.deepEqual(readSettingsInFiles(environment), {
    ...environment,
    SVC_DATABASE_URL: 'postgres://db/svc',
    AWS_SECRET_ACCESS_KEY: 'k',
  });
});

test('links to files are followed, and folders and files with other names are ignored', (t) => {
  // As Kubernetes mounts secrets.
  const folder = folderWith(t, { 'README.md': 'x', svc_web_secret: 'x', PATH: '/evil' });
  mkdirSync(join(folder, '..data'));
  writeFileSync(join(folder, '..data/SVC_WEB_SECRET'), 'secret');
  symlinkSync('..data/SVC_WEB_SECRET', join(folder, 'SVC_WEB_SECRET'));
  const environment = { SVC_SETTINGS_DIR: folder };
  assert.deepEqual(readSettingsInFiles(environment), { ...environment, SVC_WEB_SECRET: 'secret' });
});

test('without the folder the environment is unchanged', () => {
  const environment = { SVC_SETTINGS_DIR: ' ', SVC_WEB_NAME: 'Games' };
  assert.equal(readSettingsInFiles(environment), environment);
});

test('a setting in both places, a missing folder and a folder in place of a file are errors without the value', (t) => {
  const folder = folderWith(t, { SVC_WEB_SECRET: 'one' });
  const both = { SVC_SETTINGS_DIR: folder, SVC_WEB_SECRET: 'two' };
  assert.throws(() => readSettingsInFiles(both), {
    message: `SVC_WEB_SECRET: set in the environment and as a file in ${folder} (SVC_SETTINGS_DIR). Remove one of them.`,
  });
  const missing = { SVC_SETTINGS_DIR: join(folder, 'missing') };
  assert.throws(
    () => readSettingsInFiles(missing),
    /^Error: SVC_SETTINGS_DIR: cannot read .*missing: ENOENT/,
  );
  mkdirSync(join(folder, 'SVC_API'));
  assert.throws(
    () => readSettingsInFiles({ SVC_SETTINGS_DIR: folder }),
    /cannot read .*SVC_API: it is not a file$/,
  );
});

test('a file that is empty, too long, not text or a pipe is an error that names it', (t) => {
  const reasons: Readonly<Record<string, readonly [content: string | Buffer, reason: string]>> = {
    SVC_DATABASE_URL: ['', 'it is empty. Write the value into it, or remove it'],
    SVC_SMTP_URL: [' \n', 'it is empty. Write the value into it, or remove it'],
    SVC_WEB_SECRET: ['x'.repeat(65_537), 'it is longer than 64 KiB'],
    AWS_ACCESS_KEY_ID: [Buffer.from([0x61, 0xff]), 'it is not text in UTF-8'],
    AWS_SECRET_ACCESS_KEY: ['a\0b', 'it is not text in UTF-8'],
  };
  for (const [name, [content, reason]] of Object.entries(reasons)) {
    const folder = folderWith(t, {});
    writeFileSync(join(folder, name), content);
    assert.throws(() => readSettingsInFiles({ SVC_SETTINGS_DIR: folder }), {
      message: `SVC_SETTINGS_DIR: cannot read ${join(folder, name)}: ${reason}`,
    });
  }
  const folder = folderWith(t, {});
  assert.equal(spawnSync('mkfifo', [join(folder, 'SVC_API')]).status, 0);
  assert.throws(
    () => readSettingsInFiles({ SVC_SETTINGS_DIR: folder }),
    /SVC_API: it is not a file$/,
  );
});
