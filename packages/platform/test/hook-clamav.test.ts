// The documented publish hook for ClamAV: a real clamd, with a database that has the signature of the EICAR test file only.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../../scripts/until.ts';
import { expectError } from './expect-error.ts';
import { makeZip } from './make-zip.ts';
import { openWithSettings } from './open-hook.ts';
import { publishBuild } from './publish-build.ts';

const CLAMD = '/usr/sbin/clamd';
const ROOT = join(import.meta.dirname, '../../..');
/** In two parts, so that a scanner of this machine does not remove the test. */
const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}', '$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(
  '',
);
const SIGNATURE = `Eicar-Test:0:0:${Buffer.from(EICAR).toString('hex')}\n`;
const skip = existsSync(CLAMD) && existsSync('/usr/bin/clamdscan') ? false : 'no ClamAV';

/** The setting that docs/abuse.md shows. */
function documentedHook(): string {
  const text = readFileSync(join(ROOT, 'docs/abuse.md'), 'utf8');
  return /^SVC_PUBLISH_HOOK='(\/usr\/bin\/clamdscan .*)'$/m.exec(text)?.[1] ?? assert.fail();
}

/** Starts clamd on a socket in a folder of its own. Returns it, and the path of its configuration. */
async function startClamd(t: TestContext): Promise<{ clamd: ChildProcess; config: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-clamd-'));
  const database = join(folder, 'database');
  mkdirSync(database);
  writeFileSync(join(database, 'test.ndb'), SIGNATURE);
  const config = join(folder, 'clamd.conf');
  const socket = join(folder, 'socket');
  const lines = [`DatabaseDirectory ${database}`, `LocalSocket ${socket}`, 'AlertExceedsMax yes'];
  writeFileSync(config, [...lines, 'MaxFileSize 2M', 'Foreground yes', ''].join('\n'));
  const clamd = spawn(CLAMD, ['--config-file', config], { stdio: 'ignore' });
  t.after(async () => {
    await end(clamd);
    rmSync(folder, { recursive: true, force: true });
  });
  await until(
    () => existsSync(socket) || clamd.exitCode !== null,
    (isThere) => isThere,
    'clamd listens',
  );
  assert.equal(clamd.exitCode, null, 'clamd has ended');
  return { clamd, config };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('ClamAV accepts a clean build, rejects an infected one, and without clamd nothing is published', {
  skip,
}, async (t) => {
  const { clamd, config } = await startClamd(t);
  await using platform = await openWithSettings({
    SVC_PUBLISH_HOOK: `${documentedHook()} --config-file=${config}`,
  });
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Scanned' } });
  const publish = (version: string, more: Readonly<Record<string, string | Buffer>>) =>
    publishBuild(client, game.id, version, { 'index.html': '<title>x</title>', ...more });

  assert.equal((await publish('1', { 'a.js': '// clean' })).release.live, true);
  const infected = await expectError(publish('2', { 'assets/a.bin': EICAR }), 'build_rejected');
  assert.match(infected.message, /rejected it: assets\/a\.bin: Eicar-Test\S* FOUND\. Change/);
  const packed = makeZip({ 'inside.bin': EICAR });
  await expectError(publish('2', { 'assets/a.zip': packed }), 'build_rejected');
  // A file that is too large to be scanned is not accepted unseen.
  const large = Buffer.alloc(3 * 1024 * 1024, 1);
  const unseen = await expectError(publish('2', { 'large.bin': large }), 'build_rejected');
  assert.match(unseen.message, /large\.bin: Heuristics\.Limits\.Exceeded/);
  const { live_release } = await client.call('project', { params: { id: game.id } });
  assert.equal(live_release?.version, '1');

  await end(clamd);
  await expectError(publish('2', { 'a.js': '// clean 2' }), 'hook_failed');
  assert.match(platform.lines.splice(0).join('\n'), /exit code 2: .*Could not connect to clamd/);
});
