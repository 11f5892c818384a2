// The folder of recordings must belong to this user, and no other user may be able to write to it.
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startAgent } from '../src/index.ts';
import { readableByOthers, refuseUnsafe, UnsafeFolderError } from '../src/storage/check-folder.ts';
import { agentOptions, temporaryFolder, tryToStart } from './harness.ts';

function makeFolder(path: string, mode: number): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  return path;
}

test('refuseUnsafe throws if others can write to the folder, and readableByOthers warns if others can read it', () => {
  using folder = temporaryFolder();
  const rows: [number, 'private' | 'open' | 'refused'][] = [
    [0o700, 'private'],
    [0o500, 'private'],
    [0o740, 'open'],
    [0o710, 'open'],
    [0o704, 'open'],
    [0o701, 'open'],
    [0o755, 'open'],
    [0o720, 'refused'],
    [0o702, 'refused'],
    [0o777, 'refused'],
    [0o1777, 'refused'],
  ];
  const path = join(folder.path, "it's");
  const quoted = `'${folder.path}/it'\\''s'`;
  for (const [mode, wanted] of rows) {
    makeFolder(path, mode);
    const shown = `(mode ${(mode & 0o777).toString(8).padStart(4, '0')})`;
    if (wanted === 'refused') {
      assert.throws(
        () => refuseUnsafe(path),
        (error) => {
          assert.ok(error instanceof UnsafeFolderError, String(error));
          assert.equal(error.code, 'EPERM');
          assert.ok(
            error.message.includes(`${shown}; run chmod go-w ${quoted}, or`),
            error.message,
          );
          return true;
        },
        shown,
      );
    } else {
      refuseUnsafe(path);
      const warning = readableByOthers(path);
      if (wanted === 'private') assert.equal(warning, null, shown);
      else
        assert.ok(
          warning?.includes(`${shown}, but not`) && warning.includes(`chmod 700 ${quoted} `),
        );
    }
  }
});

test('an unsafe data folder is refused before anything is created in it, even behind a link', async () => {
  using folder = temporaryFolder();
  const open = makeFolder(join(folder.path, 'open'), 0o777);
  symlinkSync(open, join(folder.path, 'link'));
  const within = makeFolder(join(folder.path, 'within'), 0o700);
  makeFolder(join(within, 'traces'), 0o770);
  for (const [dataDir, message] of [
    [open, /^No recordings can be kept: Other users can write to the folder .*open \(mode 0777\)/],
    [join(folder.path, 'link'), /Other users can write to the folder .*link \(mode 0777\)/],
    [within, /Other users can write to the folder .*within\/traces \(mode 0770\)/],
  ] as const) {
    const options = agentOptions(folder.path, { dataDir });
    await assert.rejects(tryToStart(options), { code: 'data_dir_unsafe', message });
  }
  assert.deepEqual(readdirSync(open), []);
});

test('a data folder of another user is refused', {
  skip: process.getuid?.() !== 0 && 'kernel: only root can make a folder of another user',
}, async () => {
  using folder = temporaryFolder();
  const theirs = makeFolder(join(folder.path, 'theirs'), 0o700);
  chownSync(theirs, 65_534, 65_534);
  const options = agentOptions(folder.path, { dataDir: theirs });
  await assert.rejects(tryToStart(options), {
    code: 'data_dir_unsafe',
    message: /theirs belongs to another user \(uid 65534\); choose .* --data-dir$/,
  });
  assert.deepEqual(readdirSync(theirs), []);
});

test('a data folder is used with links resolved, created as private, and not changed if it exists', async () => {
  using folder = temporaryFolder();
  const mine = makeFolder(join(folder.path, 'mine'), 0o755);
  symlinkSync(mine, join(folder.path, 'link'));
  {
    await using agent = await startAgent(
      agentOptions(folder.path, { dataDir: join(folder.path, 'link') }),
    );
    assert.equal(agent.dataDir, realpathSync(mine));
    assert.match(agent.dataDirWarning ?? '', /^Other users can read the data folder .*mine /);
  }
  assert.equal(statSync(mine).mode & 0o777, 0o755);
  assert.equal(statSync(join(mine, 'traces')).mode & 0o777, 0o700);
  const dataDir = join(folder.path, 'a', 'b');
  await using agent = await startAgent(agentOptions(folder.path, { dataDir }));
  assert.equal(agent.dataDirWarning, null);
  for (const path of [join(folder.path, 'a'), dataDir, join(dataDir, 'traces')]) {
    assert.equal(statSync(path).mode & 0o777, 0o700, path);
  }
});
