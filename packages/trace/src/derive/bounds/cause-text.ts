// The words for the causes of a hitch. The command line and the viewer show the same ones.
import type { AssetPhase } from '../../format/records.ts';
import { msText } from './bound-text.ts';
import type { HitchCause } from './hitch-causes.ts';

const VERBS: Readonly<Record<AssetPhase, string>> = {
  load: 'loading',
  decode: 'decoding',
  upload: 'uploading',
  compile: 'compiling',
  read: 'reading',
  named: 'using',
};

/** A clause without a point, such as `uploading comet.png (4096×4096 RGBA8) took 180 ms`. */
export function causeText({ kind, name, asset, ms }: HitchCause): string {
  const took = `took ${msText(ms)}`;
  switch (kind) {
    case 'asset':
      return `${assetText(String(name), asset)} ${took}`;
    case 'html':
      return `parsing HTML ${took}`;
    case 'gc':
      return `garbage collection ${took}`;
    case 'rendering':
      return `style, layout and paint ${took}`;
    case 'function':
      return `${name} ran for ${msText(ms)}`;
    case 'script':
      return name === null
        ? `scripts ran for ${msText(ms)}`
        : `scripts, mostly ${name}, ran for ${msText(ms)}`;
    case 'browser':
      return `the browser's own work, in no function, ${took}`;
    case 'gpu':
      return `the GPU worked for ${msText(ms)}`;
    case 'waiting':
      return `the main thread was idle for ${msText(ms)}`;
    case 'unknown':
      return `work that the trace does not show ${took}`;
    default:
      return kind satisfies never;
  }
}

function assetText(name: string, asset: HitchCause['asset']): string {
  if (asset === null) return name;
  const { kind, phase, dims = [], format } = asset;
  // The top level of a script runs within the same time.
  const verb = kind === 'script' && phase === 'compile' ? 'compiling and running' : VERBS[phase];
  const isShader = kind === 'shader' && !/^(shader|pipeline|program)\b/.test(name);
  const size = [dims.slice(0, 2).join('×'), format ?? ''].filter((part) => part !== '').join(' ');
  return `${verb} ${isShader ? 'the shader ' : ''}${name}${size === '' ? '' : ` (${size})`}`;
}
