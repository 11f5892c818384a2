// The machine of a recording, for its header and its first log record: what a reader needs to judge its numbers. Nothing in
// it identifies a person or the machine: no host name, no serial number, no version of the system.
import { readdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { cleanName, type Header } from '@svc/trace';
import { readNumber, readText } from './read-text.ts';

const NAME_CHARACTERS = 128;

/** The folder of Linux with the devices. Tests use another one. */
const DEVICES = '/sys';

const CPU_FREQUENCIES = 'devices/system/cpu/cpu0/cpufreq';

/** Drivers that choose the frequency themselves, so that their governor `powersave` does not mean that it is low. */
const OWN_CHOICE = /^(intel_pstate|amd-pstate|amd-pstate-epp)$/;

/** The processors and the memory. */
export function describeMachine(devices = DEVICES): NonNullable<Header['machine']> {
  const processors = cpus();
  const model = cleanName(processors[0]?.model ?? '').trim();
  const mhz = megahertz(readNumber(`${devices}/${CPU_FREQUENCIES}/cpuinfo_max_freq`));
  return {
    cores: processors.length,
    ...(model !== '' && { cpu: model.slice(0, NAME_CHARACTERS).toWellFormed() }),
    ...(mhz !== null && { max_mhz: mhz }),
    memory_bytes: totalmem(),
  };
}

/**
 * What makes the machine slower than it could be, as one sentence: a battery, a lower limit of the clock, and the settings
 * that save power. Null if nothing is known to.
 */
export function describePower(devices = DEVICES): string | null {
  const facts = [
    isOnBattery(`${devices}/class/power_supply`) ? 'it runs on battery' : null,
    clockLimit(`${devices}/${CPU_FREQUENCIES}`),
    ...savings(devices),
  ].filter((fact) => fact !== null);
  return facts.length === 0 ? null : `The machine saves power: ${facts.join(', ')}.`;
}

/** A machine is on battery if one discharges and no supply is connected. */
function isOnBattery(folder: string): boolean {
  let discharges = false;
  for (const name of listOf(folder)) {
    if (readText(`${folder}/${name}/online`) === '1') return false;
    // Wireless mice and the like have batteries, too.
    const isOfDevice = readText(`${folder}/${name}/scope`) === 'Device';
    discharges ||= !isOfDevice && readText(`${folder}/${name}/status`) === 'Discharging';
  }
  return discharges;
}

function clockLimit(folder: string): string | null {
  const limit = megahertz(readNumber(`${folder}/scaling_max_freq`));
  const most = megahertz(readNumber(`${folder}/cpuinfo_max_freq`));
  if (limit === null || most === null || limit >= most) return null;
  return `the clock of its CPU is limited to ${limit} of ${most} MHz`;
}

function savings(devices: string): (string | null)[] {
  const folder = `${devices}/${CPU_FREQUENCIES}`;
  const preference = readText(`${folder}/energy_performance_preference`);
  const profile = readText(`${devices}/firmware/acpi/platform_profile`);
  const governor = readText(`${folder}/scaling_governor`);
  const isFixed = !OWN_CHOICE.test(readText(`${folder}/scaling_driver`) ?? '');
  return [
    governor === 'powersave' && isFixed ? 'its CPU keeps the lowest clock' : null,
    preference === 'power' || preference === 'balance_power'
      ? `its CPU prefers saving energy (${preference})`
      : null,
    profile === 'low-power' || profile === 'quiet' ? `its profile is ${profile}` : null,
  ];
}

function megahertz(kilohertz: number | null): number | null {
  return kilohertz === null ? null : Math.round(kilohertz / 1000);
}

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
