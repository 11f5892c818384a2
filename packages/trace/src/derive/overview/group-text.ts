// The words for a group of hitches with the same cause, such as `shader compiles`.
import type { AssetPhase } from '../../format/records.ts';
import { PHASE_VERBS } from '../bounds/cause-text.ts';
import { nameText } from '../facts/number-text.ts';
import type { HitchGroup } from './explain-hitches.ts';
import type { Situation } from './situations.ts';

const PHASES: Readonly<Record<AssetPhase, string>> = {
  load: 'loads',
  decode: 'decodes',
  upload: 'uploads',
  compile: 'compiles',
  read: 'reads',
  named: 'uses',
};

/** What caused the hitches of a group, to follow "caused by". Names are shortened to the last part of a URL. */
export function groupText({ kind, name: whole, asset }: HitchGroup): string {
  const name = whole === null ? null : nameText(lastPart(whole));
  switch (kind) {
    case 'asset':
      return assetText(name, asset);
    case 'html':
      return 'parsing HTML';
    case 'gc':
      return 'garbage collection';
    case 'rendering':
      return 'style, layout and paint';
    case 'function':
      return `the function ${name}`;
    case 'script':
      return name === null ? 'scripts' : `scripts, mostly ${name}`;
    case 'span':
      return `“${name}”`;
    case 'browser':
      return 'the browser’s own work, in no function';
    case 'gpu':
      return 'work of the GPU';
    case 'waiting':
      return 'waiting while the main thread was idle';
    case 'unknown':
      return 'work that the trace does not show';
    default:
      return kind satisfies never;
  }
}

function assetText(name: string | null, asset: HitchGroup['asset']): string {
  if (asset === null) return 'assets';
  const { kind, phase } = asset;
  if (name !== null) return `${PHASE_VERBS[phase]} ${name}`;
  const noun = kind === 'other' ? 'asset' : kind;
  return `${noun} ${PHASES[phase]}`;
}

/** The situation, to follow a clause: ` during load level 2`. Empty if there is none. */
export function situationText(situation: Situation | null): string {
  return situation === null ? '' : ` ${situation.relation} “${nameText(situation.name)}”`;
}

/** The last part of a URL, such as `main.js:12` of `https://game.example/js/main.js:12`. Other names are returned unchanged. */
function lastPart(name: string): string {
  const [, last] = /^[a-z][a-z0-9+.-]*:\/\/.*\/([^/]+)$/i.exec(name) ?? [];
  return last ?? name;
}
