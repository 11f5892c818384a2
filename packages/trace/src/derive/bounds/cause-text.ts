// The words for the causes of a hitch. The command line and the viewer show the same ones.
import type { AssetPhase } from '../../format/records.ts';
import { msText, nameText } from '../facts/number-text.ts';
import type { HitchCause } from './hitch-causes.ts';

export const PHASE_VERBS: Readonly<Record<AssetPhase, string>> = {
  load: 'loading',
  decode: 'decoding',
  upload: 'uploading',
  compile: 'compiling',
  read: 'reading',
  named: 'using',
};

/** The words before the name of a cause, the name, and the words after it. A cause without a name has only the last. */
export type CauseParts = readonly [before: string, name: string, after: string];

/** The least part of a hitch that a cause after the first one must have to be stated: a tenth. */
const LEAST_PART = 10;

/** The first cause, and the others that took at least a tenth of the hitch. `causes` are in the order of `hitchCauses`. */
export function mainCauses<Cause extends Pick<HitchCause, 'ms'>>(
  causes: readonly Cause[],
  duration_ms: number,
): Cause[] {
  return causes.filter(({ ms }, index) => index === 0 || ms * LEAST_PART >= duration_ms);
}

/** A clause without a point, such as `uploading comet.png (4096×4096 RGBA8) took 180 ms`. */
export function causeText(cause: HitchCause): string {
  return causeParts(cause).join('');
}

/** The clause of {@link causeText} in parts, for a view that sets the name apart. */
export function causeParts({ kind, name, asset, ms }: HitchCause): CauseParts {
  const took = `took ${msText(ms)}`;
  switch (kind) {
    case 'asset':
      return [verbText(String(name), asset), nameText(name ?? ''), `${sizeText(asset)} ${took}`];
    case 'html':
      return ['', '', `parsing HTML ${took}`];
    case 'gc':
      return ['', '', `garbage collection ${took}`];
    case 'rendering':
      return ['', '', `style, layout and paint ${took}`];
    case 'function':
      return ['', nameText(name ?? ''), ` ran for ${msText(ms)}`];
    case 'script':
      return name === null
        ? ['', '', `scripts ran for ${msText(ms)}`]
        : ['scripts, mostly ', nameText(name), `, ran for ${msText(ms)}`];
    case 'span':
      return ['', nameText(name ?? ''), ` ${took}`];
    case 'browser':
      return ['', '', `the browser's own work, in no function, ${took}`];
    case 'gpu':
      return ['', '', `the GPU worked for ${msText(ms)}`];
    case 'waiting':
      return ['', '', `the main thread was idle for ${msText(ms)}`];
    case 'unknown':
      return ['', '', `work that the trace does not show ${took}`];
    default:
      return kind satisfies never;
  }
}

/** `uploading `, or `compiling the shader `. */
function verbText(name: string, asset: HitchCause['asset']): string {
  if (asset === null) return '';
  const { kind, phase } = asset;
  // The top level of a script runs within the same time.
  const verb =
    kind === 'script' && phase === 'compile' ? 'compiling and running' : PHASE_VERBS[phase];
  const isShader = kind === 'shader' && !/^(shader|pipeline|program)\b/.test(name);
  return `${verb} ${isShader ? 'the shader ' : ''}`;
}

/** ` (4096×4096 RGBA8)`. Empty if neither is known. */
function sizeText(asset: HitchCause['asset']): string {
  const { dims = [], format = '' } = asset ?? {};
  const size = [dims.slice(0, 2).join('×'), format].filter((part) => part !== '').join(' ');
  return size === '' ? '' : ` (${size})`;
}
