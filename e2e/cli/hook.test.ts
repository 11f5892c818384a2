// `svc publish` on a platform whose operator has builds judged.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { openReports } from '../../packages/platform/test/open-hook.ts';
import { signInDeveloper } from '../../packages/platform/test/sign-in-developer.ts';
import { startPlatformProcess } from './platform-process.ts';

test('svc publish reports the reason of a rejection, and that a build cannot be judged', async (t) => {
  using reports = openReports();
  const platform = await startPlatformProcess(t, { SVC_PUBLISH_HOOK: reports.command });
  const { client } = await signInDeveloper(platform, 'Ada');
  const { secret } = await client.call('createToken', { body: { name: 'test' } });
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist'));
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ title: 'Judged', build: 'dist' }));
  const env = { SVC_API: platform.baseUrl, SVC_TOKEN: secret, SVC_BROWSER: 'none' };
  const publish = async (order: string, ...args: string[]) => {
    writeFileSync(join(cwd, 'dist/index.html'), order);
    return await runSvc(t, ['publish', '--version', '1', ...args], { cwd, env });
  };

  const rejected = await publish('reject', '--json');
  const { error } = JSON.parse(rejected.stdout);
  assert.deepEqual([rejected.code, error.code, error.exit_code], [7, 'build_rejected', 7]);
  assert.match(
    error.message,
    /the check of this platform rejected it: A .*fault.* in: a\.js: a miner; b\.js: a virus\. /,
  );
  assert.match(error.message, /Change the build and publish it again, or ask the operator/);

  const failed = await publish('fail');
  assert.equal(failed.code, 11);
  assert.match(failed.stderr, /the check of builds on this platform does not work/);
  assert.match(failed.stderr, /Try again later, or ask the operator of the platform/);
  assert.doesNotMatch(failed.stderr, /Trying again|scanner/);
});
