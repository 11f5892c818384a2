// `svc publish --stage` and `--preview`: a build is tried before players get it.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { signInDeveloper } from '../../packages/platform/test/sign-in-developer.ts';
import { startPlatformProcess } from './platform-process.ts';

/** A game in its folder, and a platform. */
async function start(t: TestContext) {
  const platform = await startPlatformProcess(t);
  const { client } = await signInDeveloper(platform, 'Ada');
  const { secret } = await client.call('createToken', { body: { name: 'test' } });
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist'));
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ title: 'Stage', build: 'dist' }));
  const env = { SVC_API: platform.baseUrl, SVC_TOKEN: secret, SVC_BROWSER: 'none' };
  const svc = async (...args: string[]) => {
    const { code, stdout, stderr } = await runSvc(t, [...args, '--json'], { cwd, env });
    return { code, stderr, document: JSON.parse(stdout) };
  };
  const text = (...args: string[]) => runSvc(t, args, { cwd, env });
  const build = (title: string): void =>
    writeFileSync(join(cwd, 'dist/index.html'), `<!doctype html><title>${title}</title>`);
  return { svc, text, build };
}

async function titleAt(url: string): Promise<string | number | undefined> {
  const answer = await fetch(url);
  return answer.ok ? /<title>(.*)<\/title>/.exec(await answer.text())?.[1] : answer.status;
}

test('a staged release is played at its link, and by players after svc promote', async (t) => {
  const { svc, text, build } = await start(t);
  build('one');
  const staged = await svc('publish', '--stage', '--version', '1');
  assert.equal(staged.code, 0, staged.stderr);
  const { game, release, preview, start_test } = staged.document;
  assert.deepEqual(
    [game.status, game.play_url, release.live, release.staged, start_test],
    ['draft', null, false, true, 'requests'],
  );
  const { published, staged: isStaged, unchanged } = staged.document;
  assert.deepEqual([published, isStaged, unchanged], [false, true, false]);
  assert.equal(await titleAt(preview.url), 'one');
  assert.match((await text('releases')).stdout, /1 .* staged/);
  // The same again finds the same release and its link.
  const again = await svc('publish', '--stage', '--version', '1');
  assert.deepEqual(
    [again.code, again.document.published, again.document.staged, again.document.unchanged],
    [0, false, true, true],
  );
  assert.equal(again.document.preview.url, preview.url);
  assert.equal(await titleAt(again.document.preview.url), 'one');
  const known = await text('publish', '--stage', '--version', '1');
  assert.match(known.stdout, /^Already staged: version 1 has the same files\.$/m);
  // Without --stage it does not go live either.
  const direct = await text('publish', '--version', '1');
  assert.equal(direct.code, 0, direct.stderr);
  assert.equal(direct.stdout, 'Already staged: version 1 has the same files.\n');
  assert.match(direct.stderr, /Version 1 is staged\. Run svc promote 1 to make it live\.$/m);
  const { document } = await svc('publish', '--version', '1');
  assert.deepEqual(
    [document.published, document.staged, document.unchanged, document.game.status],
    [false, true, true, 'draft'],
  );
  const promoted = await svc('promote', '1');
  assert.deepEqual([promoted.code, promoted.document.release.live], [0, true]);
  assert.equal(await titleAt(promoted.document.game.play_url), 'one');
  const twice = await svc('promote', '1');
  assert.equal(twice.code, 0);
  build('two');
  const shown = await text('publish', '--stage', '--version', '2');
  assert.match(shown.stdout, /^Staged Stage, version 2\. Players still get version 1\.$/m);
  assert.match(shown.stdout, /^Link {2}http\S+\/\.preview\/\S+\/$/m);
  assert.match(shown.stdout, /^Anyone with the link can play until \d{4}-\d\d-\d\d\.$/m);
  assert.match(shown.stdout, /^Run svc promote 2 to make it live\.$/m);
  assert.equal(await titleAt(promoted.document.game.play_url), 'one');
  // With the files of a game that is live, the address of the game is not shown as that of the staged release.
  const other = await text('publish', '--version', '2');
  assert.equal(other.stdout, 'Already staged: version 2 has the same files.\n');
  const live = await svc('promote', 'none');
  assert.deepEqual([live.code, live.document.error.code], [5, 'not_found']);
});

test('the link of a name gets each release of a pull request, and is revoked with it', async (t) => {
  const { svc, text, build } = await start(t);
  build('live');
  await svc('publish', '--version', 'live');
  const draft = await start(t);
  draft.build('draft');
  const shown = await draft.text('publish', '--preview', 'pr-1', '--version', '1');
  assert.match(shown.stdout, /^Staged Stage, version 1\. Players cannot play it yet\.$/m);
  build('first');
  const first = await svc('publish', '--preview', 'pr-7', '--version', 'a');
  build('second');
  const second = await svc('publish', '--preview', 'pr-7', '--version', 'b');
  const { url } = second.document.preview;
  assert.equal(url, first.document.preview.url);
  assert.equal(await titleAt(url), 'second');
  const versions = async () =>
    (await svc('releases')).document.releases.map(({ version }: { version: string }) => version);
  assert.deepEqual(await versions(), ['b', 'live']);
  // A build that is live already needs no upload for its link.
  build('live');
  const same = await svc('publish', '--preview', 'pr-8');
  assert.equal(same.code, 0, same.stderr);
  assert.deepEqual(
    [same.document.release.version, same.document.already_published, same.document.unchanged],
    ['live', true, true],
  );
  assert.deepEqual([same.document.published, same.document.staged], [true, false]);
  const asked = await text('publish', '--preview', 'pr-8', '--version', '9');
  assert.match(
    asked.stdout,
    /^Version live has the same files and is live\. The link plays it\. No release 9 was created\.$/m,
  );
  assert.match(
    asked.stderr,
    /^Nothing was uploaded\. Use --force to stage the same files under a new version\.$/m,
  );
  assert.equal(await titleAt(same.document.preview.url), 'live');
  const { previews } = (await svc('preview', 'list')).document;
  assert.deepEqual(
    previews.map((one: { name: string; version: string }) => [one.name, one.version]),
    [
      ['pr-8', 'live'],
      ['pr-7', 'b'],
    ],
  );
  assert.match(
    (await text('preview', 'list')).stdout,
    /^pr-7\n {2}version b, expires \d{4}-\d\d-\d\d, last used \d{4}-\d\d-\d\d\n {2}http/m,
  );
  // The same release again renews its link.
  build('second');
  const short = await svc('preview', 'create', 'b', '--name', 'pr-7', '--expires-in-days', '1');
  const renewed = await svc('publish', '--preview', 'pr-7', '--version', 'b');
  assert.equal(renewed.code, 0, renewed.stderr);
  assert.equal(renewed.document.preview.url, url);
  assert.ok(renewed.document.preview.expires_at > short.document.preview.expires_at);
  const pointed = await text('preview', 'create', 'live', '--name', 'pr-8');
  assert.match(pointed.stdout, /^The link pr-8 now plays version live\.\nLink {2}http/);
  const created = await text('preview', 'create', 'b');
  assert.match(created.stdout, /^Created a link to version b\.\nLink {2}http/);
  const [, address = ''] = /^Link {2}(\S+)$/m.exec(created.stdout) ?? [];
  const byAddress = await text('preview', 'revoke', address);
  assert.match(byAddress.stdout, /^Revoked [\da-f-]{36}\.$/m);
  assert.equal(await titleAt(address), 404);
  const made = await svc('preview', 'create', 'b', '--expires-in-days', '3');
  assert.equal(await titleAt(made.document.preview.url), 'second');
  const revoked = await svc('preview', 'revoke', 'pr-7');
  assert.deepEqual(
    [revoked.code, revoked.document.name, revoked.document.deleted_version],
    // Another link plays the release.
    [0, 'pr-7', null],
  );
  assert.equal(await titleAt(url), 404);
  assert.equal(await titleAt(made.document.preview.url), 'second');
  // A link without a name owns no release.
  const last = await svc('preview', 'revoke', made.document.preview.id);
  assert.equal(last.document.deleted_version, null);
  const unknown = await svc('preview', 'revoke', 'pr-7');
  assert.deepEqual([unknown.code, unknown.document.error.code], [5, 'not_found']);
  build('third');
  await svc('publish', '--preview', 'pr-9', '--version', 'c');
  assert.equal(
    (await text('preview', 'revoke', 'pr-9')).stdout,
    'Revoked pr-9 and deleted version c.\n',
  );
  assert.equal((await text('preview', 'revoke', 'pr-8')).stdout, 'Revoked pr-8.\n');
  assert.deepEqual(await versions(), ['b', 'live']);
});

test('a dry run stages nothing, and a name that is not allowed is rejected before a request', async (t) => {
  const { svc, text, build } = await start(t);
  build('live');
  await svc('publish', '--version', 'live');
  build('next');
  const dry = await text('publish', '--preview', 'pr-1', '--dry-run');
  assert.match(dry.stdout, /^Would stage version /m);
  assert.deepEqual((await svc('preview', 'list')).document.previews, []);
  const wrong = await text('publish', '--preview', 'a b');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /A name begins with a letter or a digit/);
});

test('players can choose an old release that svc offer names, until its end', async (t) => {
  const { svc, text, build } = await start(t);
  build('old');
  await svc('publish', '--version', '1');
  build('new');
  await svc('publish', '--version', '2');
  const offered = await svc('offer', '1');
  assert.equal(offered.code, 0, offered.stderr);
  const { play_url } = offered.document.release;
  assert.equal(await titleAt(play_url), 'old');
  assert.match((await text('releases')).stdout, /1 .* offered/);
  const onPage = await text('offer', '1');
  assert.equal(
    onPage.stdout,
    `Players can choose version 1 on the page of the game.\n${play_url}\n`,
  );
  assert.match(
    (await text('offer', '2')).stdout,
    /^Version 2 is live\. Players can still choose it after the next release\.\nhttp/,
  );
  const ended = await svc('offer', '1', '--end');
  assert.deepEqual([ended.code, ended.document.release.play_url], [0, null]);
  assert.equal(
    (await text('offer', '2', '--end')).stdout,
    'Players can no longer choose version 2 on the page of the game.\n',
  );
  assert.equal((await svc('offer', '3')).document.error.code, 'not_found');
  await svc('unpublish');
  assert.equal(
    (await text('offer', '1')).stdout,
    'Players can choose version 1 when the game is online again.\n',
  );
});
