// The demonstration process of `npm start`: uses CPU and memory as a game does, so that the dashboard has data to show.
// It ignores signals and exits when its parent process has exited.
import { ENDING_SIGNALS } from './on-ending.ts';

const TICK_MS = 50;
const PERIOD_MS = 14_000;
const LEVEL_MS = 24_000;
const CHUNK_BYTES = 2 * 1024 * 1024;
const CHUNKS_A_LEVEL = 60;

/** The assets of the current level. */
const level: ArrayBuffer[] = [];
const startedAt = performance.now();

process.title = 'demo-game';
for (const signal of ENDING_SIGNALS) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));
setInterval(tick, TICK_MS);
process.send?.('ready');

function tick(): void {
  const t = performance.now() - startedAt;
  loadLevel(t % LEVEL_MS);
  burn(TICK_MS * frameLoad(t));
}

/** The load as a share of a core, from 0.08 to 0.75: calm and busy scenes, with a short peak in each period. */
function frameLoad(t: number): number {
  const scene = 0.3 + 0.22 * Math.sin((2 * Math.PI * t) / PERIOD_MS);
  const spike = t % PERIOD_MS > PERIOD_MS - 1500 ? 0.4 : 0;
  return Math.min(0.75, scene + spike);
}

/** Allocates memory while a level loads, keeps it while the level is played, and frees it at the end. */
function loadLevel(t: number): void {
  const wanted =
    t > LEVEL_MS * 0.9 ? 0 : Math.floor(Math.min(1, t / (LEVEL_MS * 0.6)) * CHUNKS_A_LEVEL);
  while (level.length < wanted) {
    const chunk = new ArrayBuffer(CHUNK_BYTES);
    new Uint8Array(chunk).fill(level.length + 1);
    level.push(chunk);
  }
  // A transfer to length 0 frees the memory at once, without waiting for garbage collection.
  if (wanted === 0) for (const chunk of level.splice(0)) chunk.transfer(0);
}

function burn(ms: number): void {
  const until = performance.now() + ms;
  let value = 1;
  while (performance.now() < until) {
    for (let i = 0; i < 1000; i++) value = Math.sqrt(value + i);
  }
}
