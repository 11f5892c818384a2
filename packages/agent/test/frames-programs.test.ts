// The probe `frames` on a program that draws with the real libraries of OpenGL and EGL.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { skippedWithoutBpf } from './can-observe.ts';
import { assertTimes, startFrames } from './capture-frames.ts';
import { hasDisplay, startDisplay } from './targets/start-display.ts';
import { type Drawing, startDrawer } from './targets/start-drawer.ts';
import type { PresentTime } from './targets/start-presenter.ts';
import { hasCompiler } from './targets/start-shares.ts';

/** The program draws its other frames much faster than this. */
const HITCH_MS = 100;

function skipped(t: TestContext): boolean {
  const missing = [...(hasCompiler() ? [] : ['a C compiler']), ...(hasDisplay() ? [] : ['Xvfb'])];
  if (missing.length > 0) t.skip(`not installed: ${missing.join(', ')}`);
  return missing.length > 0 || skippedWithoutBpf(t);
}

const WAYS: readonly { readonly drawing: Drawing; readonly what: string }[] = [
  { drawing: 'sdl', what: 'SDL and OpenGL' },
  { drawing: 'sdl-egl', what: 'SDL and EGL' },
  { drawing: 'egl', what: 'Xlib and EGL' },
];

for (const { drawing, what } of WAYS) {
  test(`frames: a program with ${what} has each of its frames, and the hitches that it made`, async (t) => {
    if (skipped(t)) return;
    await using display = await startDisplay();
    await using program = startDrawer(display, drawing);
    await program.obey('draw 1 0'); // it has opened its window when it answers
    await using session = await startFrames(program.pid);
    await session.becomes((probe) => probe.state === 'running');

    const hitching = 'sleep:100:150 work:200:250 sleep:201:120';
    const times = await program.obey(`draw 300 2000 ${hitching}`);
    const frames = await session.frames(299);
    assertTimes(frames, times);
    const hitches = frames.flatMap(({ from, to }, i) => (to - from >= HITCH_MS ? [i] : []));
    // A frame ends with the call after the hitch, and begins with the call before it.
    assertHitches(hitches, [99, 199, 200], times);
    for (const [frame, ms] of [
      [99, 150],
      [199, 250],
      [200, 120],
    ] as const) {
      const { from, to } = frames[frame] ?? { from: 0, to: 0 };
      assert.ok(to - from >= ms, `frame ${frame} of ${to - from} ms has its hitch of ${ms} ms`);
    }

    await program.obey('hide');
    times.push(...(await program.obey('draw 50 1000')));
    assertTimes(await session.frames(349), times);
    const losses = (await session.records()).filter(({ type }) => type === 'loss');
    assert.deepEqual(losses, []);
  });
}

/** Asserts that the hitches are the expected frames. A busy machine can make others, which the program has measured too. */
function assertHitches(
  hitches: readonly number[],
  expected: readonly number[],
  times: readonly PresentTime[],
): void {
  const measured = times.slice(1).flatMap(({ after }, i) => {
    const call = times[i]?.before ?? 0;
    return (after - call) / 1e6 >= HITCH_MS ? [i] : [];
  });
  const others = measured.filter((frame) => !expected.includes(frame));
  assert.deepEqual(
    hitches.filter((frame) => !others.includes(frame)),
    expected,
  );
}
