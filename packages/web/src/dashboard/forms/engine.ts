// Game engines in forms.
import { ENGINES, type EngineName } from '@svc/contracts/platform';
import { engineName } from '../../html/format.ts';

/** The engine of that name; `other` for none. */
export function readEngine(name: string | null): EngineName {
  return ENGINES.find((engine) => engine === name) ?? 'other';
}

/** Engines as options of a form. */
export const ENGINE_OPTIONS = ENGINES.map((engine) => [engine, engineName(engine)] as const);
