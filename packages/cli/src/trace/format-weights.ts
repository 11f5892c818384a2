// Formats weights of samples and their shares.
import { msText } from '@svc/trace';
import { formatCount } from '../output/text.ts';

/** Groups the digits of an exact decimal before its point: `1,234,567.25`. */
export function formatDecimalCount(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  return fraction === undefined ? formatCount(whole) : `${formatCount(whole)}.${fraction}`;
}

/** A share as a percentage with one decimal: `12.5 %`, or `?` if it is unknown. */
export function formatShare(share: number | null): string {
  return share === null ? '?' : `${(share * 100).toFixed(1)} %`;
}

/** A weight with its unit: `12.5 ms`, `1,234 samples`. */
export function formatWeight(weight: number, unit: string): string {
  return unit === 'ms' ? msText(weight) : `${formatCount(weight)} ${unit}`;
}
