// The file of the saved login: its path, valid contents, permissions, and failures to save or delete it.
import assert from 'node:assert/strict';
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../test/svc.ts';
import { thrownBy } from '../../test/thrown-by.ts';
import {
  credentialsPath,
  deleteCredentials,
  prepareToSave,
  readCredentials,
  saveCredentials,
} from './credentials.ts';

const LOGIN = { api: 'https://api.example', token: 'svc_x' };

/** The mode of a file or folder, as `chmod` reads it. */
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** A configuration folder of mode 0700 with this text as the saved login. */
function configured(t: TestContext, text: string = JSON.stringify(LOGIN)) {
  const config = temporaryFolder(t);
  const folder = join(config, 'svc');
  const path = join(folder, 'credentials');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
  const warnings: string[] = [];
  const warn = (warning: string) => void warnings.push(warning);
  return { env: { XDG_CONFIG_HOME: config }, folder, path, warnings, warn };
}

test('credentialsPath uses an absolute XDG_CONFIG_HOME, else HOME, else the home folder of the system', () => {
  const rows: [env: Record<string, string>, path: string][] = [
    [{ XDG_CONFIG_HOME: '/x', HOME: '/h' }, '/x/svc/credentials'],
    [{ XDG_CONFIG_HOME: 'x', HOME: '/h' }, '/h/.config/svc/credentials'],
    [{ XDG_CONFIG_HOME: '', HOME: '/h' }, '/h/.config/svc/credentials'],
    [{ HOME: '/h' }, '/h/.config/svc/credentials'],
    [{ HOME: '' }, join(homedir(), '.config/svc/credentials')],
    [{}, join(homedir(), '.config/svc/credentials')],
  ];
  for (const [env, path] of rows) assert.equal(credentialsPath(env), path);
});

test('readCredentials returns the login, and ignores other fields of the file', (t) => {
  const { env, warn, warnings } = configured(t, JSON.stringify({ ...LOGIN, more: 1 }));
  assert.deepEqual(readCredentials(env, warn), LOGIN);
  assert.deepEqual(warnings, []);
});

test('readCredentials returns null if the file or folder is missing, or if the folder is a file', (t) => {
  const { env, folder, path, warn } = configured(t);
  assert.equal(readCredentials({ XDG_CONFIG_HOME: join(folder, 'none') }, warn), null);
  assert.equal(readCredentials({ XDG_CONFIG_HOME: path }, warn), null);
  assert.equal(deleteCredentials(env), true);
  assert.equal(readCredentials(env, warn), null);
});

test('readCredentials rejects a file without a valid login', (t) => {
  for (const text of [
    '',
    '{"api":',
    'null',
    '7',
    '[]',
    '{}',
    '{"api":"https://api.example"}',
    '{"token":"x"}',
    '{"api":1,"token":"x"}',
    '{"api":"https://api.example","token":null}',
  ]) {
    const { env, path, warn } = configured(t, text);
    const { exitCode, code, message } = thrownBy(() => readCredentials(env, warn));
    assert.deepEqual([exitCode, code], [3, 'credentials_unreadable'], text);
    assert.equal(message, `Cannot use "${path}": it is not a saved login.`);
  }
});

test('readCredentials removes each permission of others from folder and file, and warns about it', (t) => {
  for (const [open, replaceable] of [
    [0o740, false],
    [0o710, false],
    [0o704, false],
    [0o701, false],
    [0o720, true],
    [0o702, true],
  ] as const) {
    const { env, folder, warn, warnings } = configured(t);
    chmodSync(folder, open);
    assert.deepEqual(readCredentials(env, warn), LOGIN);
    assert.equal(mode(folder), '700');
    assert.equal(warnings.length, 1);
    const reported = `"${folder}" was open to other users (mode ${open.toString(8)}). Its mode is now 700.`;
    assert.ok(warnings[0]?.startsWith(reported), warnings[0]);
    assert.equal(/could have replaced/.test(warnings[0] ?? ''), replaceable, open.toString(8));
  }
  for (const open of [0o640, 0o620, 0o604, 0o602]) {
    const { env, path, warn, warnings } = configured(t);
    chmodSync(path, open);
    assert.deepEqual(readCredentials(env, warn), LOGIN);
    assert.equal(mode(path), '600', open.toString(8));
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /Replace the token/);
  }
});

test('readCredentials rejects a file whose mode cannot be changed, and names the command that closes it', (t) => {
  const root = temporaryFolder(t);
  const rows: [name: string, quoted: (path: string) => string][] = [
    ['plain', (path) => path],
    ['two words', (path) => `'${path}'`],
    ["it's", (path) => `'${path.replace("'", "'\\''")}'`],
  ];
  for (const [name, quoted] of rows) {
    const folder = join(root, name, 'svc');
    const path = join(folder, 'credentials');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify(LOGIN));
    chmodSync(path, 0o644);
    const { mock } = t.mock.method(fs, 'fchmodSync', () => {});
    syncBuiltinESMExports();
    const env = { XDG_CONFIG_HOME: join(root, name) };
    const { code, message, extras } = thrownBy(() => readCredentials(env, () => {}));
    mock.restore();
    syncBuiltinESMExports();
    assert.equal(code, 'credentials_unsafe');
    assert.match(message, /its mode cannot be changed \(it is still 644\)\.$/);
    assert.equal(extras.hint, `Run chmod 600 ${quoted(path)}, or set SVC_TOKEN and SVC_API.`);
  }
});

test('saveCredentials leaves only the login in a folder of mode 700', (t) => {
  const { env, folder, path, warn } = configured(t, 'damaged');
  chmodSync(path, 0o644);
  assert.equal(saveCredentials(env, LOGIN, warn), path);
  assert.deepEqual([mode(folder), mode(path)], ['700', '600']);
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), LOGIN);
  assert.deepEqual(readdirSync(folder), ['credentials']);
});

test('saveCredentials syncs the complete login before it replaces the previous one', (t) => {
  const { env, folder, path, warn } = configured(t, 'the one before');
  const { fsyncSync } = fs;
  const synced: string[] = [];
  t.mock.method(fs, 'fsyncSync', (file: number) => {
    const aside = readdirSync(folder).find((name) => name !== 'credentials') ?? '';
    synced.push(readFileSync(path, 'utf8'), readFileSync(join(folder, aside), 'utf8'));
    fsyncSync(file);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  saveCredentials(env, LOGIN, warn);
  assert.deepEqual(synced, ['the one before', readFileSync(path, 'utf8')]);
});

test('saveCredentials and deleteCredentials fail if a folder is at the path, and leave no other file', (t) => {
  const { env, folder, path, warn } = configured(t);
  deleteCredentials(env);
  mkdirSync(path);
  const saving = thrownBy(() => saveCredentials(env, LOGIN, warn));
  assert.deepEqual([saving.exitCode, saving.code], [1, 'credentials_not_saved']);
  assert.ok(saving.message.startsWith(`Cannot save "${path}": `), saving.message);
  const deleting = thrownBy(() => deleteCredentials(env));
  assert.deepEqual([deleting.exitCode, deleting.code], [1, 'credentials_not_deleted']);
  const reading = thrownBy(() => readCredentials(env, warn));
  assert.deepEqual([reading.exitCode, reading.code], [3, 'credentials_unreadable']);
  assert.match(reading.message, /it is not a file\.$/);
  assert.deepEqual(readdirSync(folder), ['credentials']);
});

test('deleteCredentials returns false if no login was saved', (t) => {
  const { env, path } = configured(t);
  assert.deepEqual([deleteCredentials(env), deleteCredentials(env)], [true, false]);
  writeFileSync(path, '');
  assert.equal(deleteCredentials({ XDG_CONFIG_HOME: path }), false);
  assert.ok(existsSync(path));
});

test('prepareToSave creates the folder, and fails if it cannot be created', (t) => {
  const config = temporaryFolder(t);
  prepareToSave({ XDG_CONFIG_HOME: join(config, 'a/b') }, () => assert.fail('warns'));
  assert.equal(mode(join(config, 'a/b/svc')), '700');
  assert.deepEqual(readdirSync(join(config, 'a/b/svc')), []);
  writeFileSync(join(config, 'file'), '');
  const { exitCode, code } = thrownBy(() =>
    prepareToSave({ XDG_CONFIG_HOME: join(config, 'file') }, () => {}),
  );
  assert.deepEqual([exitCode, code], [1, 'credentials_not_saved']);
});
