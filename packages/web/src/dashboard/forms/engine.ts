// Game engines in forms.
import { ENGINES, type EngineName } from '@svc/contracts/platform';
import { engineName } from '../../html/format.ts';

/** The engine with this id; `other` if the id is unknown or null. */
export function readEngine(name: string | null): EngineName {
  return ENGINES.find((engine) => engine === name) ?? 'other';
}

/** The engines as options of a select field. */
export const ENGINE_OPTIONS = ENGINES.map((engine) => [engine, engineName(engine)] as const);
