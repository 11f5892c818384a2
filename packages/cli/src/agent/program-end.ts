// How the program that svc has started ended by itself.
import type { ProgramExit } from '@svc/agent';
import type { Chosen } from './choose-target.ts';
import { leftBehindText } from './process-text.ts';

export type ProgramEnd = ProgramExit & { readonly name: string };

/**
 * Returns how the profiled program ended. Warns if processes that it has started still run, because svc ends them. Null
 * if svc has not started the profiled process. Call it when that process has exited.
 */
export async function programEnd(
  { pid, program }: Chosen,
  warn: (text: string) => void,
): Promise<ProgramEnd | null> {
  if (program === null || pid !== null) return null;
  const { name } = program;
  const exit = await program.exited;
  const left = program.children();
  if (left.length > 0) warn(leftBehindText(name, left));
  return { name, ...exit };
}
