// Texts that the platform would reject are rejected before anything is sent.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runSvc, temporaryFolder } from './svc.ts';

test('svc check and svc init reject a title with an invisible character', async (t) => {
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist'));
  writeFileSync(join(cwd, 'dist/index.html'), '<!doctype html>');
  const project = (title: string): void =>
    writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ title, build: 'dist' }));
  project('Space\u200bCats');
  const checked = await runSvc(t, ['check'], { cwd });
  assert.equal(checked.code, 7);
  assert.match(checked.stderr, /title[^\n]*contains an invisible character \(U\+200B\)/);
  project('حرب النجوم 👩\u200d🚀');
  assert.equal((await runSvc(t, ['check'], { cwd })).code, 0);

  const named = await runSvc(t, ['init', '--yes', '--title', 'a\u202eb'], { cwd });
  assert.equal(named.code, 2);
  assert.match(named.stderr, /The title contains [^\n]*U\+202E/);
});

test('svc publish rejects notes that the platform would reject', async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ title: 'Cats', build: '.' }));
  const args = ['publish', '--notes', 'gpj\u202eexe', '--api', 'http://127.0.0.1:9'];
  const { code, stderr } = await runSvc(t, args, { cwd, env: { SVC_TOKEN: 'svc_x' } });
  assert.equal(code, 7);
  assert.match(stderr, /Cannot publish the notes: the text contains [^\n]*U\+202E/);
});
