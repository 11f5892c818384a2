// A small game whose frames do a fixed amount of work: calls through 24 levels of functions, allocations and draws. It times its
// own work, and reports it in the address of a request.

/** Functions that call each other, from the first level to the last. */
const LEVELS = 24;
/** Functions of one level, one of which is called. A call through a table is not inlined. */
const KINDS = 8;
const DRAWS = 200;

/** The script of the game. It has the same functions in each run. */
export function gameScript(): string {
  const functions = Array.from({ length: LEVELS }, (_, level) => functionsOf(level)).join('\n');
  const levels = Array.from({ length: LEVELS }, (_, level) => `[${namesOf(level).join()}]`);
  return `${functions}\nconst levels = [${levels.join()}];\n(${play})(levels, ${DRAWS});\n`;
}

function namesOf(level: number): string[] {
  return Array.from({ length: KINDS }, (_, kind) => `step${level}_${kind}`);
}

function functionsOf(level: number): string {
  const isLast = level === LEVELS - 1;
  return namesOf(level)
    .map((name, kind) => {
      const next = isLast
        ? '({ sum }).sum'
        : `levels[${level + 1}][(n >> 1) % ${KINDS}](state, n + ${kind})`;
      return `function ${name}(state, n) { let sum = 0; for (let i = 0; i < 16; i++) sum += state[(i * ${kind + 3} + n) & 63] * 0.5; state[(n + ${level}) & 63] = sum * 0.01; return ${next}; }`;
    })
    .join('\n');
}

type Step = (state: Float64Array, n: number) => number;

/**
 * Runs in the page, so it uses nothing of this module. It draws `frames` frames, then does the work of as many frames in tasks
 * without a pause, so that the thread is never idle.
 */
function play(levels: readonly (readonly Step[])[], draws: number): void {
  const asked = new URLSearchParams(location.search);
  const [target, warmUp, frames] = ['target', 'warmup', 'frames'].map((key) =>
    Number(asked.get(key)),
  ) as [number, number, number];
  let units = Number(asked.get('units'));
  const state = new Float64Array(64).fill(1);
  const gl = document.querySelector('canvas')?.getContext('webgl2');
  const times: number[] = [];
  const work = (): number => {
    const from = performance.now();
    let sum = 0;
    for (let unit = 0; unit < units; unit++) sum += levels[0]?.[unit & 7]?.(state, unit) ?? 0;
    if (sum === 1) document.title = '1';
    for (let draw = 0; draw < draws; draw++) gl?.drawArrays(gl.POINTS, 0, 0);
    return performance.now() - from;
  };
  /** Corrects the number of units by the last frames that other programs delayed least. */
  const calibrate = (): void => {
    const ms = times.slice(-15).sort((a, b) => a - b)[2] ?? target;
    units = Math.max(1, Math.round((units * target) / ms));
  };
  const frame = (): void => {
    times.push(work());
    if (target > 0 && times.length % 15 === 0) calibrate();
    if (times.length === warmUp) void fetch('/frames');
    if (times.length < warmUp + frames) requestAnimationFrame(frame);
    else void fetch('/tasks').then(workOn);
  };
  const workOn = (): void => {
    const channel = new MessageChannel();
    let left = frames;
    channel.port1.onmessage = () => {
      work();
      if (--left > 0) channel.port2.postMessage(null);
      else void fetch(`/done/${units}/${times.slice(warmUp).map((ms) => Math.round(ms * 1000))}`);
    };
    channel.port2.postMessage(null);
  };
  requestAnimationFrame(frame);
}
