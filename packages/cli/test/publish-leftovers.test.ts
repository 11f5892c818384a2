// What `svc publish --dry-run` sends for the platform's verdict, and that no packed build is left on this machine.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { error, json, noted, startFaultyPlatform, TOKEN } from './faulty-platform.ts';
import { GAME, ID, limitsAre, RELEASE } from './records.ts';
import { runHere } from './run-here.ts';
import { temporaryFolder } from './svc.ts';

test('svc publish --dry-run sends version and notes, and removes the packed build after a verdict and after a rejection', async (t) => {
  const release = { ...RELEASE, live: false };
  const diff = { new: ['index.html'], changed: [], same: [], gone: [] };
  const bodies: string[] = [];
  const answers = {
    'GET /limits': limitsAre({}),
    [`GET /projects/${ID}`]: json(200, { game: GAME, page: {}, live_release: null }),
    [`POST /projects/${ID}/publish`]: [
      json(200, { release, diff, findings: [], root: '', dropped: [], files: [] }),
      error(409, 'version_exists', 'It exists'),
    ],
  };
  const platform = await startFaultyPlatform(
    t,
    noted(answers, (_route, body) => bodies.push(body)),
  );
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist'));
  writeFileSync(join(cwd, 'dist/index.html'), '<!doctype html><title>Cats</title>\n');
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ id: ID, title: 'Cats', build: 'dist' }));
  const before = process.env['TMPDIR'];
  t.after(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  const temporary = temporaryFolder(t);
  process.env['TMPDIR'] = temporary;
  const env = { HOME: cwd, SVC_TOKEN: TOKEN, SVC_API: platform.url };
  const args = ['publish', '--dry-run', '--version', '3', '--notes', 'Faster cats'];
  for (const wanted of [0, 6]) {
    const { code, stderr } = await runHere(t, args, { cwd, env });
    assert.equal(code, wanted, stderr);
    const [form = ''] = bodies.filter((body) => body.includes('form-data')).slice(-1);
    assert.match(form, /name="version"\r\n\r\n3\r\n/);
    assert.match(form, /name="notes"\r\n\r\nFaster cats\r\n/);
    assert.deepEqual(readdirSync(temporary), []);
  }
});
