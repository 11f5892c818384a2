// Profiling a native game: `svc dashboard --pid PID --probes stacks,files`, Start, a flame graph and ranked files, End session,
// and the recording on the command line.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasCompiler, skippedWithoutBpf, startLoader } from '@svc/agent/testing';
import { temporaryFolder } from '../packages/cli/test/svc.ts';
import { keepPicture, openPage, probesRun, runSvc, startDashboard } from './native-dashboard.ts';
import { launchBrowser, noBrowser } from './viewer/open-viewer.ts';

const MIB = 1024 * 1024;

/** The costs differ enough that a busy machine does not change their order. */
const FILES = [
  ['art/hero.ktx2', 96 * MIB],
  ['audio/theme.ogg', 12 * MIB],
  ['level.json', 4096],
] as const;

test('a native game: stacks and files live in the viewer, and ranked from the recording', {
  skip: noBrowser,
}, async (t) => {
  if (!hasCompiler()) return t.skip('a C compiler is not installed');
  if (skippedWithoutBpf(t)) return;
  const home = temporaryFolder(t);
  const game = join(home, 'game');
  for (const folder of ['art', 'audio']) mkdirSync(join(game, folder), { recursive: true });
  for (const [name, bytes] of FILES) writeFileSync(join(game, name), Buffer.alloc(bytes, 'x'));
  await using loader = await startLoader(game);
  const dashboard = await startDashboard(t, home, loader.pid, ['stacks', 'files']);
  const { client } = dashboard;
  const { stacks, files } = (await client.call('status', {})).capabilities;
  for (const { available, reason } of [stacks, files]) {
    if (!available) return t.skip(`kernel: ${reason}`);
  }
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const { page, faults } = await openPage(browser, dashboard.url);

  await page.getByRole('button', { name: 'Start' }).first().click();
  await probesRun(client, ['stacks', 'files']);

  await t.test('the files rank live, the dearest first', async () => {
    await page.getByRole('button', { name: 'Assets', exact: true }).click();
    await loader.obey('read level.json 4096');
    await loader.obey('pread audio/theme.ogg 65536');
    for (let i = 0; i < 3; i++) await loader.obey('read art/hero.ktx2 65536');
    const rows = page.getByRole('row').filter({ hasText: /hero|theme|level/ });
    await rows.filter({ hasText: 'art/hero.ktx2' }).filter({ hasText: '288' }).waitFor();
    await rows.filter({ hasText: 'audio/theme.ogg' }).waitFor();
    await rows.filter({ hasText: 'level.json' }).waitFor();
    const names = (await rows.allInnerTexts()).map((text) => /[\w/]+\.\w+/.exec(text)?.[0]);
    assert.deepEqual(
      names,
      FILES.map(([name]) => name),
    );
    await keepPicture(page, 'assets');
  });

  await t.test('the flame graph shows what runs', async () => {
    await loader.obey('burn 1500');
    await page.getByRole('button', { name: 'Stacks', exact: true }).click();
    await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
    await keepPicture(page, 'flame');
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'burn_cpu' }).first().waitFor();
    await keepPicture(page, 'functions');
  });
  assert.deepEqual(faults, []);

  const { trace } = await client.call('off', {});
  assert.ok(trace !== null);
  const svc = (...args: string[]): string => runSvc(home, args);

  await t.test('svc trace check passes, and svc trace info counts what the probes wrote', () => {
    svc('trace', 'check', trace.path);
    const info = JSON.parse(svc('trace', 'info', trace.path, '--json'));
    assert.ok(info.samples > 0 && info.stacks > 0, JSON.stringify(info));
    assert.ok(info.records > 8);
  });

  await t.test('svc trace assets ranks the files, with every byte that was read', () => {
    const report = JSON.parse(svc('trace', 'assets', trace.path, '--json'));
    const ranked = report.assets.filter(({ name }: { name: string }) =>
      FILES.some(([file]) => file === name),
    );
    assert.deepEqual(
      ranked.map(({ name, read_bytes, bytes }: Record<string, unknown>) => [
        name,
        read_bytes,
        bytes,
      ]),
      FILES.map(([name, bytes], i) => [name, i === 0 ? 3 * bytes : bytes, bytes]),
    );
    const [hero] = ranked;
    assert.ok(hero.advice.some(({ code }: { code: string }) => code === 'read_again'));
  });
});
