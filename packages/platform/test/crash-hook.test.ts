// A server that is killed while the publish hook judges a build.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../scripts/until.ts';
import { isRunning } from './is-running.ts';
import { openReports } from './open-hook.ts';
import { startProcess } from './platform-process.ts';
import { publishForm } from './publish-build.ts';
import { filesIn } from './read-state.ts';
import { signInDeveloper } from './sign-in-developer.ts';

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
  const report = await reports.wait('stall');
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
