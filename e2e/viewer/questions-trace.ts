// The recordings on which the clicks and commands of docs/questions.md are performed.
import { traceFromText } from '@svc/trace/testing';

const MIB = 1_048_576;
const SECONDS = 40;

/** The time from the start of a second to its long frames in ms. */
const BEFORE_MS = 96;
const FRAME_MS = 16;

export type GameOptions = {
  /** The length of the frame in which the shader Lava is compiled in ms, more than 6. */
  readonly lavaMs: number;
};

/**
 * Forty seconds of a browser game at 60 frames per second, without the time of the GPU. At 5, 15, 25 and 35 s it loads
 * `level-2`: three shaders are compiled in long frames, and a texture of 8 MiB is never released. At 12 s garbage is
 * collected, and at 31 s a wave spawns and decodes `boss.png`. The heap grows by 1 MiB a second.
 */
export function gameTrace({ lavaMs }: GameOptions): string {
  const seconds = Array.from({ length: SECONDS }, (_, second) => {
    const t = second * 1000;
    if (second % 10 === 5) return levelLoad(second, lavaMs);
    if (second === 12) return [frames(t, [36]), `${t + BEFORE_MS} span 30 major gc`];
    return second === 31 ? bossWave(t) : [frames(t, [])];
  });
  const usual = seconds.map(
    (_, second) =>
      `${second * 1000} stacks main_[M];update_[S] 3000@700 | main_[M];draw_[S] 2000@704`,
  );
  const heap = seconds.map((_, second) => (20 + second) * MIB).join(' ');
  return traceFromText(
    [
      'browser',
      ...seconds.flat(),
      ...usual,
      `0 counter js_heap_bytes bytes ${heap}`,
      `${SECONDS * 1000} end off`,
    ].join('\n'),
  );
}

/** The frames of one second: the long ones are in a row, with one usual frame between them. */
function frames(t: number, long: readonly number[]): string {
  const left = 1000 - BEFORE_MS - long.reduce((sum, ms) => sum + ms + FRAME_MS, 0);
  const row = long.flatMap((ms) => [ms, FRAME_MS]).join(' ');
  return `${t} frames ${FRAME_MS}*${BEFORE_MS / FRAME_MS} ${row} ${FRAME_MS}*${Math.floor(left / FRAME_MS)}`;
}

function levelLoad(second: number, lavaMs: number): string[] {
  const t = second * 1000;
  const shaders = [
    { name: 'Lava', ms: lavaMs },
    { name: 'Water', ms: 70 },
    { name: 'Fire', ms: 60 },
  ];
  let at = BEFORE_MS;
  const compiles = shaders.flatMap(({ name, ms }) => {
    const start = at;
    at += ms + FRAME_MS;
    return [
      `${t + start} asset ${name} ${name} shader compile main_thread_ms=${ms - 6}`,
      `${t} stacks main_[M];loadLevel_[S];compileShader_[S] ${(ms - 6) * 1000}@${start}`,
    ];
  });
  return [
    frames(
      t,
      shaders.map(({ ms }) => ms),
    ),
    `${t + BEFORE_MS - 6} span 400 level-2 loading`,
    ...compiles,
    `${t + at} asset ${second} terrain.png texture upload main_thread_ms=3 gpu_bytes=${8 * MIB}`,
    // A release of any asset states that the recording has releases.
    `${t + 600} release other gpu_bytes=0`,
  ];
}

function bossWave(t: number): string[] {
  const spawn = `main_[M];update_[S];spawnWave_[S] 12000@${BEFORE_MS + 1}`;
  const decode = `main_[M];update_[S];decodeImage_[S] 30000@${BEFORE_MS + 13}`;
  return [
    frames(t, [48]),
    `${t} stacks ${spawn} | ${decode}`,
    `${t + BEFORE_MS + 13} asset boss boss.png texture decode main_thread_ms=30 bytes=${4 * MIB}`,
  ];
}
