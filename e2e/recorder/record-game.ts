// Records a small game with `svc record`, for tests.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { modelOf, overviewOf, verdictOf } from '@svc/trace';
import { Check } from 'typebox/value';
import { DOCUMENTS, type Documents } from '../../packages/cli/src/documents.ts';
import { runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { findBrowser } from '../../scripts/find-browser.ts';
import { type Files, writeGame } from './write-game.ts';

export type Recorded = Documents['record'];

/** What a recording wrote: its document, the trace, and the text on standard error. */
export type Recording = {
  readonly recorded: Recorded;
  readonly trace: string;
  /** The verdict on the trace, as the viewer shows it first. */
  readonly verdict: string;
  readonly stderr: string;
};

/** A game loop in which `spawnWave` stalls for 1.5 s, on the canvas context `g`. */
export const LOOP = `let n = 0;
function spawnWave() {
  const from = performance.now();
  let sum = 0;
  while (performance.now() - from < 1500) for (let i = 0; i < 100000; i++) sum += Math.sqrt(i);
  return sum;
}
function frame() {
  n++;
  if (n % 60 === 30) spawnWave();
  g.fillRect(n % 600, 0, 10, 10);
  requestAnimationFrame(frame);
}
`;
export const CANVAS = '<!doctype html><title>Game</title><canvas width=640 height=400></canvas>';
export const DRAWING = `const g = document.querySelector('canvas').getContext('2d');\n${LOOP}requestAnimationFrame(frame);\n`;

/** The arguments that record `game` into `trace`. */
export function argumentsFor(game: string, trace: string): string[] {
  return ['record', game, '--headless', '--browser', findBrowser() ?? '', '-o', trace, '--json'];
}

/** Records the game of the files for six seconds, or as long as the options say. */
export function record(t: TestContext, files: Files, ...more: string[]): Promise<Recording> {
  return recordAt(t, writeGame(t, files), ...more);
}

const ATTEMPTS = 3;

/** Records the game of a folder or an address. On a machine without time for the browser's sampler, does it again. */
export async function recordAt(
  t: TestContext,
  game: string,
  ...more: string[]
): Promise<Recording> {
  for (let attempt = 1; ; attempt++) {
    const recording = await recordOnce(t, game, more);
    const { worst } = recording.recorded;
    const hasFunctions = worst === null || worst.functions.length > 0;
    if (hasFunctions || more.includes('--no-stacks') || attempt === ATTEMPTS) return recording;
  }
}

async function recordOnce(
  t: TestContext,
  game: string,
  more: readonly string[],
): Promise<Recording> {
  const trace = join(temporaryFolder(t), 'game.vpt');
  const args = argumentsFor(game, trace);
  const { code, stdout, stderr } = await runSvc(t, [...args, '--seconds', '6', ...more]);
  assert.equal(code, 0, stderr);
  const recorded: unknown = JSON.parse(stdout);
  assert.ok(Check(DOCUMENTS.record, recorded), stdout);
  const text = readFileSync(trace, 'utf8');
  const verdict = verdictIn(text);
  t.diagnostic(JSON.stringify({ verdict, worst: recorded.worst }));
  return { recorded, trace: text, verdict, stderr };
}

/** The verdict on a trace in words. */
export function verdictIn(trace: string): string {
  const { headline, detail } = verdictOf(overviewOf(modelOf(trace)));
  return `${headline} ${detail}`;
}

/** The function that is both the first cause of the longest hitch and the one with the most time in it. */
export function firstFunction({ worst }: Recorded): string {
  const name = worst?.functions[0]?.name ?? '';
  const [cause] = worst?.causes ?? [];
  return cause?.kind === 'function' && cause.name === name ? name : JSON.stringify(worst);
}
