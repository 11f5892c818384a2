// `svc publish` sends only what the platform lacks, and goes on after a cut, a Ctrl-C and a restart of the platform.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { finish, runSvc, startSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { signInDeveloper } from '../../packages/platform/test/sign-in-developer.ts';
import { until } from '../../scripts/until.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { startPlatformProcess } from './platform-process.ts';

const MIB = 1024 * 1024;
/** Four parts are on the way at most, and each has a head. */
const LOST_PER_CUT = 4 * MIB + 4_096;

/** A game of 24 MiB in its folder, and a platform behind a proxy. */
async function start(t: TestContext) {
  const platform = await startPlatformProcess(t);
  const proxy = await startCountingProxy(t, platform.baseUrl);
  const { client } = await signInDeveloper(platform, 'Ada');
  const { secret } = await client.call('createToken', { body: { name: 'test' } });
  const home = temporaryFolder(t);
  const cwd = join(home, 'game');
  for (const folder of ['game/dist', 'tmp']) mkdirSync(join(home, folder), { recursive: true });
  write(cwd, 'index.html', '<!doctype html><title>Cut</title>');
  for (let number = 0; number < 6; number++) write(cwd, `${number}.bin`, randomBytes(4 * MIB));
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ title: 'Cut', build: 'dist' }));
  const env = {
    ...{ HOME: home, TMPDIR: join(home, 'tmp'), SVC_BROWSER: 'none' },
    ...{ SVC_API: proxy.url, SVC_TOKEN: secret },
  };
  const publish = async (version: string) => {
    const args = ['publish', '--version', version, '--json'];
    const { code, stdout, stderr } = await runSvc(t, args, { cwd, env });
    return { code, stderr, document: JSON.parse(stdout) };
  };
  return { platform, proxy, client, cwd, env, publish, home };
}

/** The temporary files of svc. */
function leftovers(home: string): string[] {
  return readdirSync(join(home, 'tmp')).filter((name) => name.startsWith('svc-'));
}

function write(cwd: string, name: string, bytes: Buffer | string): void {
  writeFileSync(join(cwd, 'dist', name), bytes);
}

test('after a change of one file, only this file is sent', async (t) => {
  const { proxy, cwd, publish, home } = await start(t);
  const first = await publish('1');
  assert.equal(first.code, 0, first.stderr);
  assert.ok(proxy.sent > 24 * MIB);
  const before = proxy.sent;
  write(cwd, '3.bin', randomBytes(100_000));
  const second = await publish('2');
  assert.equal(second.code, 0, second.stderr);
  assert.deepEqual(second.document.diff.changed, ['3.bin']);
  const sent = proxy.sent - before;
  assert.ok(sent > 100_000 && sent < 110_000, `${sent} bytes`);
  assert.deepEqual(leftovers(home), []);
});

test('a connection that is cut again and again loses only the parts on the way', async (t) => {
  const { proxy, publish, platform } = await start(t);
  proxy.cutEvery(6 * MIB);
  let runs = 0;
  let last = await publish('1');
  for (; last.code !== 0 && runs < 20; runs++) {
    assert.equal(last.code, 10, last.stderr);
    last = await publish('1');
  }
  assert.equal(last.code, 0, last.stderr);
  assert.ok(proxy.cuts > 1);
  assert.ok(
    proxy.sent < 25 * MIB + proxy.cuts * LOST_PER_CUT,
    `${proxy.sent} bytes with ${proxy.cuts} cuts`,
  );
  const played = await fetch(last.document.game.play_url.replace(proxy.url, platform.baseUrl));
  assert.equal(await played.text(), '<!doctype html><title>Cut</title>');
});

test('an interrupted svc publish leaves nothing here, and the next one goes on', async (t) => {
  const { proxy, cwd, env, publish, home, platform } = await start(t);
  await publish('1');
  for (let number = 0; number < 6; number++) write(cwd, `${number}.bin`, randomBytes(4 * MIB));
  const before = proxy.sent;
  const child = startSvc(t, ['publish', '--version', '2', '--json'], { cwd, env });
  const done = finish(child);
  await until(
    () => proxy.sent - before > 8 * MIB || child.exitCode !== null,
    Boolean,
    'a third is sent',
  );
  platform.child.kill('SIGSTOP');
  child.kill('SIGINT');
  const { code, stdout } = await done;
  platform.child.kill('SIGCONT');
  assert.equal(code, 130);
  assert.equal(JSON.parse(stdout).error.code, 'interrupted');
  assert.deepEqual(leftovers(home), []);
  const next = await publish('2');
  assert.equal(next.code, 0, next.stderr);
  assert.match(next.stderr, /Continuing an upload: [\d.,]+ MiB of 24(?:\.0)? MiB are there\./);
  assert.ok(proxy.sent - before < 25 * MIB + LOST_PER_CUT, `${proxy.sent - before} bytes`);
  assert.equal(next.document.release.version, '2');
});
