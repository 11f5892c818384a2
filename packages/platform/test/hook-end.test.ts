// The publish hook at its end: the time limit, a program that is missing, and a server that is killed meanwhile.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../scripts/until.ts';
import { expectError } from './expect-error.ts';
import { isRunning } from './is-running.ts';
import { openReports, openWithSettings } from './open-hook.ts';
import { startProcess } from './platform-process.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { filesIn, spooledFiles } from './read-state.ts';
import { signInDeveloper } from './sign-in-developer.ts';

test('after the time limit, the program and its group are ended', async () => {
  using reports = openReports();
  await using platform = await openWithSettings({
    SVC_PUBLISH_HOOK: reports.command,
    SVC_PUBLISH_HOOK_TIMEOUT: '3',
  });
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Late' } });
  await expectError(publishBuild(client, game.id, '1', { 'index.html': 'stall' }), 'hook_failed');
  assert.match(
    platform.lines.splice(0).join('\n'),
    /the publish hook failed.*it did not end within 3 s/,
  );
  const pids = reports.read().flatMap(({ pid, sleeper }) => [pid, sleeper]);
  await until(
    () => pids.some(isRunning),
    (runs) => !runs,
    'its processes have ended',
  );
  assert.deepEqual(await spooledFiles(platform), []);
});

test('a program that cannot be started publishes nothing', async () => {
  await using platform = await openWithSettings({ SVC_PUBLISH_HOOK: '/nowhere/hook -x' });
  assert.match(platform.lines.join('\n'), /SVC_PUBLISH_HOOK.*"\/nowhere\/hook"/);
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Missing' } });
  await expectError(publishBuild(client, game.id, '1', { 'index.html': 'x' }), 'hook_failed');
  assert.match(platform.lines.splice(0).join('\n'), /could not be started.*ENOENT/);
});

test('if the server is killed while the hook judges, nothing is live, and the next start removes the rest', async (t) => {
  using reports = openReports();
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-hook-data-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const environment = { SVC_PUBLISH_HOOK: reports.command, SVC_PUBLISH_LEASE_SECONDS: '1' };
  const first = await startProcess(dataDir, environment);
  t.after(() => first.kill());
  const { client } = await signInDeveloper(first, 'Ada');
  const { secret } = await client.call('createToken', { body: { name: 'test' } });
  const { game } = await client.call('createProject', { body: { title: 'Killed' } });
  const answer = fetch(`${first.baseUrl}/projects/${game.id}/publish`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: publishForm('1', { 'index.html': 'stall' }),
  });
  answer.catch(() => {});
  const [report] = await reports.wait('stall');
  assert.ok(report !== undefined);
  // A program that was started by a killed server goes on. Its answer has no effect.
  t.after(() => {
    if (isRunning(report.pid)) process.kill(-report.pid, 'SIGKILL');
  });
  await first.kill();
  await assert.rejects(answer);
  assert.notDeepEqual(await spooledFilesOf(dataDir), []);
  const second = await startProcess(dataDir, environment);
  t.after(() => second.kill());
  assert.deepEqual(await spooledFilesOf(dataDir), []);
  const project = `${second.baseUrl}/projects/${game.id}`;
  const headers = { authorization: `Bearer ${secret}` };
  assert.match(await (await fetch(project, { headers })).text(), /"live_release":null/);
  const again = await until(
    async () => {
      const body = publishForm('1', { 'index.html': 'accept' });
      return (await fetch(`${project}/publish`, { method: 'POST', headers, body })).status;
    },
    (status) => status !== 409,
    'the publish of the killed server is abandoned',
  );
  assert.equal(again, 201);
});

const spooledFilesOf = async (dataDir: string): Promise<string[]> =>
  (await filesIn({ dataDir }, 'spool')).filter((path) => !path.endsWith('/lock'));
