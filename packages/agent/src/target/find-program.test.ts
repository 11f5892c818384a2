// How a program is found, compared with a shell.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findProgram } from './find-program.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-program-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'bin/folder'), { recursive: true });
  writeFileSync(join(folder, 'bin/game'), '', { mode: 0o755 });
  writeFileSync(join(folder, 'here'), '', { mode: 0o755 });
  writeFileSync(join(folder, 'bin/text'), '', { mode: 0o644 });
  chmodSync(join(folder, 'bin/text'), 0o644);
  return folder;
}

test('findProgram: a path is itself, a name is looked for in PATH', (t) => {
  const folder = folderOf(t);
  const find = (name: string, path: string) => findProgram(name, folder, { PATH: path });
  const game = join(folder, 'bin/game');
  assert.equal(find('./bin/game', ''), game);
  assert.equal(find(game, ''), game);
  assert.equal(find('game', `/nowhere:${folder}/bin`), game);
  assert.equal(find('game', 'bin'), game);
  assert.equal(find('here', ''), join(folder, 'here'), 'an empty part of PATH is this folder');
  assert.throws(() => findProgram('here', folder, {}), { code: 'no_such_program' });
  assert.match(findProgram('sh', folder, {}), /^\/.*\/sh$/);
});

test('findProgram states why there is no such program, and the next step', (t) => {
  const folder = folderOf(t);
  const refusal = (name: string, message: RegExp, code: string) =>
    assert.throws(() => findProgram(name, folder, { PATH: join(folder, 'bin') }), {
      message,
      code,
    });
  refusal('', /^Cannot start a program without a name$/, 'no_such_program');
  refusal('./nope', /"\.\/nope": there is no such program$/, 'no_such_program');
  refusal(
    'here',
    /no such program in PATH; for the one in this folder, write \.\/here$/,
    'no_such_program',
  );
  refusal('./bin', /it is a folder$/, 'program_forbidden');
  refusal('folder', /it is a folder$/, 'program_forbidden');
  refusal('text', /not executable; chmod \+x makes it so$/, 'program_forbidden');
  refusal('./bin/game/more', /there is no such program$/, 'no_such_program');
});
