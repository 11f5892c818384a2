// The image of the servers, made of a release and a bare Debian: it serves with a read-only root, as a user without privileges.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { startOutsideProvider } from '@svc/platform/testing';
import { VERSION } from '../../packages/cli/src/process/version.ts';
import { TARGETS } from '../../release/single-file/targets.ts';
import { BARE_SYSTEM } from '../../scripts/provision.ts';
import { answersOk, findFreePorts } from '../cluster/start-program.ts';
import { gameHost, publishGame, sendTo, settingsFor } from '../operate/publish-game.ts';
import {
  type ContainerOptions,
  containerMissing,
  runContainer,
  startContainer,
} from '../operate/start-container.ts';
import { buildahMissing, type ImageConfig, type Images, openImages } from './build-image.ts';
import { type Made, makeRelease } from './make-release.ts';

const USER = 10_001;
const target = TARGETS.find(({ name }) => name === `linux-${process.arch}`);
const noBase = existsSync(BARE_SYSTEM) ? null : 'there is no archive of a bare system';
const skip = containerMissing() ?? buildahMissing() ?? noBase ?? false;

let made: Made;
let images: Images;
let root = '';
let config: ImageConfig;
before(async () => {
  if (skip !== false || target === undefined) return;
  made = await makeRelease([target]);
  images = openImages();
  const archive = join(made.folder, `svc-server-${VERSION}-${target.name}.tar.gz`);
  images.build(archive, images.import(BARE_SYSTEM));
  root = images.mount();
  config = images.config();
});
after(() => {
  images?.[Symbol.dispose]();
  made?.[Symbol.dispose]();
});

function containerOf(
  t: TestContext,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ContainerOptions {
  const data = mkdtempSync(join(tmpdir(), 'svc-image-data-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  chownSync(data, USER, USER);
  chmodSync(data, 0o700);
  const own = config.Env.map((pair) => pair.split('=')).map(([name, value]) => [name, value]);
  return {
    ...{ name: 'the image', root, command, folder: config.WorkingDir, user: USER },
    env: { ...Object.fromEntries(own), ...env },
    binds: [{ from: data, to: '/data', isWritable: true }],
  };
}

test('the command of the image publishes and plays a game, ends on SIGTERM and keeps its data', {
  skip,
}, async (t) => {
  assert.equal(config.User, `${USER}:${USER}`);
  await using provider = await startOutsideProvider();
  const [port = 0] = await findFreePorts(1);
  const command = config.Cmd.map((word) => (word === '8787' ? String(port) : word));
  const options = containerOf(t, command, {
    SVC_PUBLIC_URL: 'https://api.games.example',
    SVC_WEB_ORIGIN: 'https://www.games.example',
    SVC_PLAY_ORIGIN: `https://${gameHost('{slug}')}`,
    ...settingsFor(provider),
  });
  const address = `http://127.0.0.1:${port}/livez`;
  await using program = await startContainer(options, () => answersOk(address));
  const slug = await publishGame(sendTo(port), provider);
  await program.restart();
  assert.equal((await sendTo(port)(gameHost(slug), '/')).status, 200);
});

test('the image has the store', { skip }, async (t) => {
  const [port = 0] = await findFreePorts(1);
  const command = ['svc-web', '--host', '0.0.0.0', '--port', String(port)];
  const options = containerOf(t, command, { SVC_WEB_ORIGIN: 'https://www.games.example' });
  const address = `http://127.0.0.1:${port}/livez`;
  await using _store = await startContainer(options, () => answersOk(address));
});

test('a process in the image is not root, and can write to its volumes and /tmp only', {
  skip,
}, (t) => {
  const script = `id -u; for path in /usr /etc /var /root; do touch $path/x 2>/dev/null && echo $path; done
    touch /data/x /tmp/x && echo done`;
  const { stdout, stderr } = runContainer(containerOf(t, ['sh', '-c', script]));
  assert.deepEqual([stdout, stderr], [`${USER}\ndone\n`, '']);
});
