// A game in C that records itself with vpt.h, followed by `svc record`: what svc merges is what the game wrote, and a hitch has
// the causes that both know.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasCompiler } from '@svc/agent/testing';
import { readVpt, type TraceRecord } from '@svc/trace';
import { runSvc, temporaryFolder } from '../packages/cli/test/svc.ts';

const WRITER = join(import.meta.dirname, '..', 'writers', 'c');

/** Draws 100 frames. One of them loads a level, which takes 100 ms. */
const GAME = `
#define VPT_IMPLEMENTATION
#include "vpt.h"

static void work(vpt_writer *trace, double ms) {
  double until = vpt_now(trace) + ms;
  while (vpt_now(trace) < until) {}
}

int main(void) {
  vpt_writer *trace = vpt_open("game.vpt", NULL);
  vpt_asset level = vpt_register_asset(trace, "levels/two.pak", VPT_DATA, 1048576, -1);
  for (int i = 0; i < 101; i++) {
    if (i == 60) {
      double start = vpt_now(trace);
      work(trace, 100);
      double took = vpt_now(trace) - start;
      vpt_asset_phase(trace, &level, VPT_LOAD, start, took, took);
    }
    work(trace, 5);
    vpt_counter(trace, "enemies", "count", i);
    vpt_frame(trace);
  }
  vpt_close(trace, NULL);
  vpt_free(trace);
  return 0;
}
`;

const framesOf = (lines: readonly TraceRecord[]): number[] =>
  lines.flatMap((record) => (record.type === 'frames' ? record.duration_ms : []));

const countersOf = (lines: readonly TraceRecord[]): number[] =>
  lines.flatMap((record) =>
    record.type === 'counter' && record.name === 'enemies' ? record.value : [],
  );

test('svc record --follow has every frame of vpt.h, and names the asset of the hitch', {
  skip: process.platform !== 'linux' && 'kernel: it has no /proc',
}, async (t) => {
  if (!hasCompiler()) return t.skip('a C compiler is not installed');
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'game.c'), GAME);
  execFileSync('cc', ['-O1', '-pthread', `-I${WRITER}`, '-o', 'game', 'game.c'], { cwd });
  const command = ['record', '--follow', 'game.vpt', '-o', 'merged.vpt', '--', './game'];
  const { code, stdout, stderr } = await runSvc(t, command, { cwd });
  assert.equal(code, 0, stderr);
  // A busy machine adds hitches.
  assert.match(stdout, /: 100 frames, \d+ hitch(es)?\. game has exited with code 0\./);
  const report = await runSvc(t, ['trace', 'assets', 'merged.vpt', '--json'], { cwd });
  const { assets } = JSON.parse(report.stdout);
  assert.deepEqual([assets.length, assets[0].name, assets[0].hitches], [1, 'levels/two.pak', 1]);
  assert.ok(assets[0].hitch_ms > 80, report.stdout);
  const written = readVpt(readFileSync(join(cwd, 'game.vpt')));
  const merged = readVpt(readFileSync(join(cwd, 'merged.vpt')));
  assert.deepEqual(framesOf(merged.lines), framesOf(written.lines));
  assert.deepEqual(countersOf(merged.lines), countersOf(written.lines));
  assert.equal(countersOf(merged.lines).length, 101);
  assert.ok(merged.lines.some(({ type }) => type === 'process'));
});
