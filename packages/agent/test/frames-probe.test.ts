// The probe `frames` on real programs that present frames at known times, through libraries with the names of OpenGL's.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { skippedWithoutBpf } from './can-observe.ts';
import { assertTimes, READY_MS, startFrames, statusOf } from './capture-frames.ts';
import { startTestAgent, until } from './harness.ts';
import { startPresenter, startPresenter32 } from './targets/start-presenter.ts';
import { hasCompiler } from './targets/start-shares.ts';

const GLX = 'glXSwapBuffers';
const EGL = 'eglSwapBuffers';

function skipped(t: TestContext): boolean {
  if (!hasCompiler()) t.skip('a C compiler is not installed');
  return !hasCompiler() || skippedWithoutBpf(t);
}

test('frames: every frame is counted once, at the time of the program’s own clock', async (t) => {
  if (skipped(t)) return;
  await using program = startPresenter();
  const glx = program.build('libGLX.so.0', GLX);
  await program.obey(`load ${glx}`);
  await using agent = await startFrames(program.pid);
  await agent.becomes((probe) => probe.state === 'running');

  const times = await program.obey(`present ${glx} 1 200 2000`);
  times.push(...(await program.obey(`present ${glx} 1 1 80000`)));
  times.push(...(await program.obey(`present ${glx} 1 50 1000`)));
  const frames = await agent.frames(times.length - 1);
  assertTimes(frames, times);

  await t.test('threads that present, and children that do not count', async () => {
    times.push(...(await program.obey(`thread ${glx} 1 30 1000`)));
    await program.obey(`child ${glx} 1 30 1000`);
    times.push(...(await program.obey(`present ${glx} 1 10 1000`)));
    assertTimes(await agent.frames(times.length - 1), times);
  });

  await t.test(
    'a program that closes its library, opens it again, and executes again',
    async () => {
      await program.obey(`unload ${glx}`);
      await program.obey(`load ${glx}`);
      times.push(...(await program.obey(`present ${glx} 1 20 1000`)));
      await program.obey('again');
      await program.obey(`load ${glx}`);
      times.push(...(await program.obey(`present ${glx} 1 20 1000`)));
      assertTimes(await agent.frames(times.length - 1), times);
    },
  );

  await t.test('a second window has a counter, and no frames', async () => {
    for (let i = 0; i < 30; i++) {
      times.push(...(await program.obey(`present ${glx} 1 2 1000`)));
      await program.obey(`present ${glx} 2 1 1000`);
    }
    assertTimes(await agent.frames(times.length - 1), times);
    const names = (await agent.records()).flatMap((one) =>
      one.type === 'counter' ? one.name : [],
    );
    assert.deepEqual(
      new Set(names.filter((name) => name.startsWith('window'))),
      new Set(['window 2 frames']),
    );
  });

  const losses = (await agent.records()).filter((record) => record.type === 'loss');
  assert.deepEqual(
    losses.filter(({ probe }) => probe === 'frames'),
    [],
  );
});

test('frames: the probe waits for a library, and follows the program to another one', async (t) => {
  if (skipped(t)) return;
  await using program = startPresenter();
  await using agent = await startFrames(program.pid);
  await agent.becomes(
    ({ state, reason }) =>
      state === 'running' && reason === 'The program has not loaded OpenGL or EGL so far',
  );
  const folder = 'a b"$(touch stolen);:*\' -e x';
  const egl = program.build(`${folder}/libEGL.so.1.1.0`, EGL);
  await program.obey(`load ${egl}`);
  await agent.becomes(({ reason }) => reason?.includes('has presented no frame so far') === true);
  // A space ends the name of a library in a command, so the program finds the library by another name.
  spawnSync('ln', ['-s', `${folder}/libEGL.so.1.1.0`, 'link.so'], { cwd: program.folder });
  await program.obey('load ./link.so');
  const times = await program.obey('present ./link.so 1 50 1000');
  assertTimes(await agent.frames(49), times);
  await agent.becomes(({ reason }) => reason === undefined);
  assert.equal(spawnSync('ls', ['stolen'], { cwd: program.folder }).status, 2, 'nothing was run');

  const glx = program.build('more/libGLX.so.0', GLX);
  await program.obey(`load ${glx}`);
  await until(
    async () =>
      (await agent.records()).some((one) => 'reason' in one && one.reason === 'probe_restarted'),
    Boolean,
    'the new library is observed',
    READY_MS,
  );
  const later = await program.obey(`present ${glx} 2 50 1000`);
  const all = await agent.frames(49 + 49);
  assertTimes(all.slice(49), later);
  program.kill('SIGKILL');
});

test('frames: libGL does not count beside libGLX, and a library without the function is left out', async (t) => {
  if (skipped(t)) return;
  await using program = startPresenter();
  const gl = program.build('libGL.so.1.7.0', GLX);
  const other = program.build('libEGL.so.1', 'another_function');
  await program.obey(`load ${gl}`);
  await program.obey(`load ${other}`);
  await using agent = await startFrames(program.pid);
  await agent.becomes((probe) => probe.state === 'running');
  const times = await program.obey(`present ${gl} 1 50 1000`);
  assertTimes(await agent.frames(49), times);
  const glx = program.build('libGLX.so.0', GLX);
  await program.obey(`load ${glx}`);
  await until(
    async () =>
      (await agent.records()).some((one) => 'reason' in one && one.reason === 'probe_restarted'),
    Boolean,
    'libGLX is observed',
    READY_MS,
  );
  await program.obey(`present ${gl} 1 50 1000`);
  const later = await program.obey(`present ${glx} 1 50 1000`);
  assertTimes((await agent.frames(49 + 49)).slice(49), later);
});

test('frames: a library that only the mount namespace of the program has', async (t) => {
  if (skipped(t)) return;
  const through = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt && exec "$0"'];
  if (spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0) {
    return t.skip('kernel: no private mounts');
  }
  await using program = startPresenter(through);
  program.build('libGLX.so.0', GLX);
  spawnSync('cp', ['libGLX.so.0', `/proc/${program.pid}/root/mnt/libGLX.so.0`], {
    cwd: program.folder,
  });
  await program.obey('load /mnt/libGLX.so.0');
  await using agent = await startFrames(program.pid);
  await agent.becomes((probe) => probe.state === 'running');
  const times = await program.obey('present /mnt/libGLX.so.0 1 50 1000');
  assertTimes(await agent.frames(49), times);
});

test('frames: the windows of a 32-bit program', async (t) => {
  if (skipped(t)) return;
  await using program = startPresenter32();
  await using agent = await startFrames(program.pid);
  await agent.becomes((probe) => probe.state === 'running');
  await program.obey('x');
  const frames = await agent.frames(39);
  assert.equal(frames.length, 39);
});

test('frames: a program that uses Vulkan alone is named, with the way that records it', async (t) => {
  if (skipped(t)) return;
  await using program = startPresenter();
  const vulkan = program.build('libvulkan.so.1.3.239', 'vkQueuePresentKHR');
  await program.obey(`load ${vulkan}`);
  await using agent = await startTestAgent({ pid: program.pid, probes: ['frames'] });
  const { frames } = (await statusOf(agent)).capabilities;
  assert.equal(frames.available, false);
  assert.match(frames.reason ?? '', /Vulkan.*MangoHud/);
});
