// Values of `build` in svc.json: one clear message for a wrong path and for a path outside the project.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runSvc, temporaryFolder } from './svc.ts';

/** A project beside more than fifty files that a build must not contain. */
function projectFolder(t: TestContext, build: string): string {
  const home = temporaryFolder(t);
  const cwd = join(home, 'game');
  mkdirSync(join(cwd, 'a/b'), { recursive: true });
  writeFileSync(join(cwd, 'a/b/index.html'), '<title>x</title>');
  for (let i = 0; i < 60; i++) writeFileSync(join(home, `id_${i}.pem`), 'x');
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ title: 'Cats', build }));
  return cwd;
}

test('svc check reports a backslash in the build of svc.json, and suggests the correct path', async (t) => {
  const cwd = projectFolder(t, 'a\\b');
  const { code, stdout, stderr } = await runSvc(t, ['check', '--json'], { cwd });
  assert.equal(code, 7);
  const { error } = JSON.parse(stdout);
  assert.deepEqual([error.code, error.details.length], ['project_file_invalid', 1]);
  assert.match(
    stderr,
    /"build" is not valid\.\n +"a\\b" contains a backslash\. Separate folders with "\/"/,
  );
  assert.match(stderr, /Write "build": "a\/b"\./);
  const named = await runSvc(t, ['check', 'a\\b'], { cwd });
  assert.equal(named.code, 7);
  assert.match(named.stderr, /Did you mean a\/b\?/);
  assert.equal((await runSvc(t, ['check', 'a/b'], { cwd })).code, 0);
});

test('svc check reports one finding for a build outside of the project’s folder', async (t) => {
  for (const build of ['..', '../', 'a/../..', '/tmp', 'C:/games']) {
    const cwd = projectFolder(t, build);
    const { code, stdout } = await runSvc(t, ['check', '--json'], { cwd });
    const { error } = JSON.parse(stdout);
    assert.deepEqual([code, error.code], [7, 'project_file_invalid'], build);
    assert.deepEqual(
      error.details.map(({ path, message }: { path: string; message: string }) => [path, message]),
      [['build', `"${build}" is outside the folder of svc.json.`]],
    );
  }
  const inside = projectFolder(t, './a/../a/b');
  assert.equal((await runSvc(t, ['check'], { cwd: inside })).code, 0);
});

test('svc init does not write a build that svc check would reject', async (t) => {
  for (const build of ['../dist', 'a\\b', '/srv/dist']) {
    const cwd = temporaryFolder(t);
    const { code, stderr } = await runSvc(t, ['init', '--yes', '--build', build], { cwd });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /backslash|is outside the folder/);
    assert.ok(!existsSync(join(cwd, 'svc.json')));
  }
});
