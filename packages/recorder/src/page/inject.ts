// Adds the collector to a target before its first script.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession } from 'puppeteer-core';
import type { TargetKind } from '../browser/follow-targets.ts';
import type { Names } from './messages.ts';

/** The code, which the bundler of the command line puts in. From source, it is read from the file that the build makes. */
declare const INJECTED_CODE: string | undefined;

const FILE = join(import.meta.dirname, '../../dist/injected.js');

/** The address that the script has in the browser's tracing. */
export const INJECTED_URL = 'svc-recorder.js';

/** What the code in a page reports besides the trace, and whether a script moves the gamepads. */
export type Wanted = Pick<Names, 'firstDraw' | 'input'> & { readonly gamepads: boolean };

/** Names that no page can guess. */
export function chooseNames({ firstDraw, input, gamepads }: Wanted): Names {
  const random = (): string => `_${randomBytes(10).toString('hex')}`;
  return {
    ...{ binding: random(), ending: random(), mark: `${random()}:`, firstDraw, input },
    gamepad: gamepads ? random() : null,
  };
}

/** The script for documents and workers. It adds nothing to the global object. */
export function injectedScript(names: Names): string {
  const bundle = typeof INJECTED_CODE === 'string' ? INJECTED_CODE : readFileSync(FILE, 'utf8');
  return `{(()=>{${bundle};svcInjected.begin(${JSON.stringify(names)})})()}\n//# sourceURL=${INJECTED_URL}`;
}

/** Sends the commands, which the target runs before its scripts. Failures mean that the target is gone. */
export function inject(session: CDPSession, kind: TargetKind, script: string, names: Names): void {
  const gone = (): void => {};
  session.send('Runtime.enable').catch(gone);
  session.send('Runtime.addBinding', { name: names.binding }).catch(gone);
  if (kind !== 'worker') {
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: script }).catch(gone);
    return;
  }
  // A worker has no such command. It pauses before its first script instead.
  session.once('Debugger.paused', () => {
    session
      .send('Runtime.evaluate', { expression: script })
      .finally(() => session.send('Debugger.disable'))
      .catch(gone);
  });
  session.send('Debugger.enable').catch(gone);
  session
    .send('Debugger.setInstrumentationBreakpoint', { instrumentation: 'beforeScriptExecution' })
    .catch(gone);
}
