import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { describeMachine, describePower } from './describe-machine.ts';
import { MachineLoad, parseBusyTicks } from './machine-load.ts';
import { loadRecords } from './watch-machine.ts';

/** A folder with these files. */
function folderWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-machine-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), `${text}\n`);
  }
  return folder;
}

const CPU = 'devices/system/cpu';

test('parseBusyTicks: everything but idle, waiting for storage, and guests, which user has already', () => {
  const text = 'cpu  100 20 30 4000 500 6 7 8 90 10\ncpu0 1 1 1 1 1 1 1 1 0 0\n';
  assert.equal(parseBusyTicks(text), 100 + 20 + 30 + 6 + 7 + 8);
  assert.equal(parseBusyTicks('intr 5\n'), null);
});

test('MachineLoad: busy time, the highest clock, and how often heat slowed a core down', (t) => {
  const folder = folderWith(t, {
    stat: 'cpu  100 0 50 900 0 0 0 0 0 0',
    [`${CPU}/cpu0/cpufreq/scaling_cur_freq`]: '800000',
    [`${CPU}/cpu0/thermal_throttle/core_throttle_count`]: '3',
    [`${CPU}/cpu1/cpufreq/scaling_cur_freq`]: '3600123',
    [`${CPU}/cpu1/thermal_throttle/core_throttle_count`]: '4',
    [`${CPU}/cpufreq/other`]: '1',
  });
  const load = new MachineLoad(100, folder, folder);
  assert.deepEqual(load.read(), { busyMs: 1500, mhz: 3600, throttled: 7 });
  writeFileSync(join(folder, CPU, 'cpu1/cpufreq/scaling_cur_freq'), '<unknown>\n');
  assert.equal(load.read()?.mhz, 800);
  rmSync(join(folder, 'stat'));
  assert.equal(load.read(), null);
});

test('MachineLoad: a machine that reports no clocks and no heat', (t) => {
  const folder = folderWith(t, { stat: 'cpu  1 0 0 9 0 0 0 0 0 0' });
  assert.deepEqual(new MachineLoad(100, folder, join(folder, 'none')).read(), {
    busyMs: 10,
    mhz: null,
    throttled: null,
  });
});

test('loadRecords: the CPU time of other programs in percent of one core, never below 0', () => {
  const before = { busyMs: 1000, mhz: null, throttled: null };
  const othersOf = (busyMs: number, ownMs: number) => {
    const [record] = loadRecords(before, { ...before, busyMs }, { t: 5, elapsedMs: 500, ownMs });
    return record?.type === 'counter' ? [record.name, record.value, record.unit] : null;
  };
  assert.deepEqual(othersOf(2000, 250), ['CPU of others', 150, '%']);
  assert.deepEqual(othersOf(1100, 110), ['CPU of others', 0, '%']);
});

test('loadRecords: the clock is a counter, and heat that slows a core down is a mark', () => {
  const before = { busyMs: 0, mhz: 3600, throttled: 7 };
  const recordsAt = (throttled: number | null) =>
    loadRecords(before, { busyMs: 0, mhz: 2100, throttled }, { t: 5, elapsedMs: 1, ownMs: 0 });
  assert.deepEqual(recordsAt(7).slice(1), [
    { type: 'counter', t: 5, name: 'CPU clock', unit: 'MHz', value: 2100 },
  ]);
  assert.deepEqual(recordsAt(8).slice(2), [
    { type: 'mark', t: 5, name: 'The CPU was slowed down because of heat' },
  ]);
  assert.equal(recordsAt(null).length, 2);
});

test('describeMachine: the processors and the memory, with the highest clock if it is known', (t) => {
  const folder = folderWith(t, { [`${CPU}/cpu0/cpufreq/cpuinfo_max_freq`]: '4400000' });
  const machine = describeMachine(folder);
  assert.ok(machine.cores > 0 && (machine.memory_bytes ?? 0) > 1e8);
  assert.equal(machine.max_mhz, 4400);
  assert.equal(describeMachine(join(folder, 'none')).max_mhz, undefined);
});

test('describePower: a battery, a lower clock, and settings that save power', (t) => {
  const folder = folderWith(t, {
    [`${CPU}/cpu0/cpufreq/cpuinfo_max_freq`]: '4400000',
    [`${CPU}/cpu0/cpufreq/scaling_max_freq`]: '2200000',
    [`${CPU}/cpu0/cpufreq/scaling_governor`]: 'powersave',
    [`${CPU}/cpu0/cpufreq/scaling_driver`]: 'acpi-cpufreq',
    [`${CPU}/cpu0/cpufreq/energy_performance_preference`]: 'balance_power',
    'firmware/acpi/platform_profile': 'low-power',
    'class/power_supply/AC/online': '0',
    'class/power_supply/BAT0/status': 'Discharging',
  });
  assert.equal(
    describePower(folder),
    'The machine saves power: it runs on battery, the clock of its CPU is limited to 2200 of 4400 MHz, its CPU keeps the lowest clock, its CPU prefers saving energy (balance_power), its profile is low-power.',
  );
});

test('describePower: nothing to say of a machine that is plugged in, or of which nothing is known', (t) => {
  const folder = folderWith(t, {
    [`${CPU}/cpu0/cpufreq/cpuinfo_max_freq`]: '4400000',
    [`${CPU}/cpu0/cpufreq/scaling_max_freq`]: '4400000',
    [`${CPU}/cpu0/cpufreq/scaling_governor`]: 'powersave',
    [`${CPU}/cpu0/cpufreq/scaling_driver`]: 'intel_pstate',
    [`${CPU}/cpu0/cpufreq/energy_performance_preference`]: 'balance_performance',
    'firmware/acpi/platform_profile': 'balanced',
    'class/power_supply/AC/online': '1',
    'class/power_supply/BAT0/status': 'Discharging',
  });
  assert.equal(describePower(folder), null);
  const mouse = folderWith(t, {
    'class/power_supply/mouse/status': 'Discharging',
    'class/power_supply/mouse/scope': 'Device',
  });
  assert.equal(describePower(mouse), null);
  assert.equal(describePower(join(mouse, 'none')), null);
});
