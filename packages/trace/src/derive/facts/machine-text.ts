import type { Header } from '../../format/records.ts';
import { bytesText, countText, pluralText } from './number-text.ts';

/** The machine of a recording in one line: `AMD Ryzen 7, 16 cores, up to 4400 MHz, 32.0 GiB of memory`. */
export function machineText(machine: NonNullable<Header['machine']>): string {
  const { cpu = '', cores, max_mhz, memory_bytes } = machine;
  return [
    cpu,
    pluralText(cores, 'core'),
    max_mhz === undefined ? '' : `up to ${countText(max_mhz)} MHz`,
    memory_bytes === undefined ? '' : `${bytesText(memory_bytes)} of memory`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}
