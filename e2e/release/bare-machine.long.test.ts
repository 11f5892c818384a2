// The files of a release on a machine without Node, npm, compilers or a network: installed in each way that Linux has, used, and removed
// without a trace.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { VERSION } from '../../packages/cli/src/process/version.ts';
import { TARGETS } from '../../release/single-file/targets.ts';
import { type BareMachine, bareMachineMissing, HOME, startBareMachine } from './bare-machine.ts';
import { type Made, makeRelease } from './make-release.ts';

const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch;
const SYSTEM = `linux-${process.arch}`;
const TARGET = TARGETS.find(({ name }) => name === SYSTEM);
const missing = bareMachineMissing();

type Way = {
  readonly name: string;
  readonly as: 'root' | 'user';
  /** Scripts of the shell. */
  readonly install: string;
  readonly remove: string;
};

/** How svc is installed. */
const COMMAND_WAYS: readonly Way[] = [
  {
    name: 'the archive',
    as: 'user',
    install: `mkdir -p svc bin
      tar -xzf /release/svc-${VERSION}-${SYSTEM}.tar.gz -C svc
      ln -s ../svc/svc bin/svc`,
    remove: 'rm -r svc bin/svc; rmdir bin 2>/dev/null || true',
  },
  {
    name: 'install.sh',
    as: 'user',
    install: 'sh /release/install.sh --from /release --prefix "$HOME"',
    remove: 'sh /release/install.sh --uninstall --prefix "$HOME"',
  },
  {
    name: 'the package for Debian',
    as: 'root',
    install: `dpkg -i /release/svc_${VERSION}_${ARCHITECTURE}.deb && dpkg --verify svc`,
    remove: 'dpkg --purge svc',
  },
];

/** How the servers are installed. */
const SERVER_WAYS: Readonly<Record<'archive' | 'package', Way>> = {
  archive: {
    name: 'the archive',
    as: 'user',
    install: `mkdir -p server bin
      tar -xzf /release/svc-server-${VERSION}-${SYSTEM}.tar.gz -C server
      ln -s ../server/bin/svc-platform ../server/bin/svc-web bin`,
    remove: 'rm -r server bin/svc-platform bin/svc-web; rmdir bin 2>/dev/null || true',
  },
  package: {
    name: 'the package for Debian',
    as: 'root',
    install: `dpkg -i /release/svc-server_${VERSION}_${ARCHITECTURE}.deb && dpkg --verify svc-server`,
    remove: 'dpkg --purge svc-server',
  },
};

let made: Made;
let machine: BareMachine;
before(async () => {
  if (missing !== null || TARGET === undefined) return;
  made = await makeRelease([TARGET]);
  machine = await startBareMachine(made.folder);
});
after(async () => {
  await machine?.[Symbol.asyncDispose]();
  made?.[Symbol.dispose]();
});

for (const command of COMMAND_WAYS) {
  const server = command.as === 'root' ? SERVER_WAYS.package : SERVER_WAYS.archive;
  test(`${command.name} of svc and ${server.name} of the servers: a process is profiled, a game published, and nothing stays`, {
    skip: missing ?? false,
  }, async () => {
    const before = machine.files();
    assert.throws(() => machine.run('node --version || npm --version || cc --version', 'user'));
    for (const { install, as } of [server, command]) machine.run(install, as);
    assert.equal(machine.run('svc --version', 'user'), `${VERSION}\n`);
    await profile(machine);
    await publish(machine);
    machine.run('rm -r .config game data traces svc.json *.vpt *.folded', 'user');
    for (const { remove, as } of [command, server]) machine.run(remove, as);
    assert.deepEqual(machine.files(), before);
  });
}

/** Records a process that keeps a core busy, and reads the recording. */
async function profile(on: BareMachine): Promise<void> {
  const target = await on.start("sh -c 'while :; do :; done'");
  const dashboard = await on.start(
    `svc dashboard --pid ${target.pid} --json --port 0 --data-dir ${HOME}/traces`,
  );
  const { origin, token } = JSON.parse(await dashboard.line());
  assert.match(on.visit('get', origin), /<script/);
  const { reason, trace } = JSON.parse(on.visit('record', origin, token));
  assert.equal(reason, 'off');
  assert.equal(await dashboard.exited, 0);
  on.run(`kill ${target.pid}`, 'user');
  await target.exited;
  on.run(`cp '${trace.path}' cpu.vpt`, 'user');
  assert.match(on.run('svc trace report cpu.vpt', 'user'), /CPU/);
  on.run(
    "printf 'main;draw 3\\nmain 1\\n' > a.folded && svc trace convert a.folded -o a.vpt",
    'user',
  );
  assert.match(on.run('svc trace top a.vpt', 'user'), /draw/);
}

/** Publishes a game to a platform, and plays it. */
async function publish(on: BareMachine): Promise<void> {
  const platform = await on.start(`svc-platform --dev --json --port 0 --data-dir ${HOME}/data`);
  const { base_url: api } = JSON.parse(await platform.line());
  const store = await on.start(`svc-web --api ${api} --json --port 0`);
  const { origin } = JSON.parse(await store.line());
  on.run("mkdir game && echo '<!doctype html><title>Cats</title>' > game/index.html", 'user');
  const login = await on.start(`svc login --web --no-open --api ${api} 2>&1`);
  let address = '';
  while (!address.startsWith('http')) address = (await login.line()).trim();
  assert.match(on.visit('sign-in', address, 'Ada'), /You are signed in/);
  assert.equal(await login.exited, 0);
  on.run('svc init --yes --build game', 'user');
  const { game } = JSON.parse(on.run('svc publish --json', 'user'));
  assert.match(on.visit('get', game.play_url), /<title>Cats<\/title>/);
  assert.match(on.visit('get', `${origin}/games/${game.slug}`), /<h1[^>]*>/);
  on.run(`kill -INT ${platform.pid} ${store.pid}`, 'user');
  assert.deepEqual(await Promise.all([platform.exited, store.exited]), [0, 0]);
}
