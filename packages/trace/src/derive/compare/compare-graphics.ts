// Whether two traces were recorded with the same graphics adapter.
import type { Header } from '../../format/records.ts';

type Gpu = Header['gpu'];

/**
 * A sentence if the graphics adapters of two traces differ, or if only one of the traces is known to be rendered in software: then
 * the computer may be why a time changed. Null otherwise. Undefined is an unknown adapter, which may be the same.
 */
export function graphicsWarning(before: Gpu, after: Gpu): string | null {
  const isUnknown = before === undefined || after === undefined;
  if (isUnknown && before?.software !== true && after?.software !== true) return null;
  if (before?.name === after?.name) return null;
  const what = isUnknown ? 'may have' : 'have';
  return `The traces ${what} different graphics adapters: ${nameOf(before)} before, ${nameOf(after)} after. Record both on the same computer to compare times.`;
}

function nameOf(gpu: Gpu): string {
  if (gpu === undefined) return 'an unknown one';
  return gpu.software ? `${gpu.name} (in software)` : gpu.name;
}
