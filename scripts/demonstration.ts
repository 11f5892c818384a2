// The demonstration process of `npm start`: plays a game's load on CPU and memory, so that a newcomer's chart moves.
// It ends when the process that started it is gone, whatever happened to that one; signals are left to it too.
import { ENDING_SIGNALS } from './on-ending.ts';

const TICK_MS = 50;
const PERIOD_MS = 14_000;
const LEVEL_MS = 24_000;
const CHUNK_BYTES = 2 * 1024 * 1024;
const CHUNKS_A_LEVEL = 60;

/** Assets of the level that is loaded now. */
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

/** Share of a core from 0.08 to 0.75: calm and busy scenes, with a short spike in each period. */
function frameLoad(t: number): number {
  const scene = 0.3 + 0.22 * Math.sin((2 * Math.PI * t) / PERIOD_MS);
  const spike = t % PERIOD_MS > PERIOD_MS - 1500 ? 0.4 : 0;
  return Math.min(0.75, scene + spike);
}

/** Memory climbs while a level loads, stays while it is played, and falls back when it is left. */
function loadLevel(t: number): void {
  const wanted =
    t > LEVEL_MS * 0.9 ? 0 : Math.floor(Math.min(1, t / (LEVEL_MS * 0.6)) * CHUNKS_A_LEVEL);
  while (level.length < wanted) {
    const chunk = new ArrayBuffer(CHUNK_BYTES);
    new Uint8Array(chunk).fill(level.length + 1);
    level.push(chunk);
  }
  // A transfer to nothing gives the memory back at once, not at some later collection.
  if (wanted === 0) for (const chunk of level.splice(0)) chunk.transfer(0);
}

function burn(ms: number): void {
  const until = performance.now() + ms;
  let value = 1;
  while (performance.now() < until) {
    for (let i = 0; i < 1000; i++) value = Math.sqrt(value + i);
  }
}
