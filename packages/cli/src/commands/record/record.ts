// `svc record`: records a game, unchanged: a browser game in an installed browser, or a process.
import { resolve } from 'node:path';
import { messageOf } from '@svc/contracts/caught';
import type { InputScript, RecordOptions } from '@svc/recorder';
import { defineCommand } from '../../command-line/define-command.ts';
import { safeText } from '../../output/text.ts';
import { EXIT, usageError } from '../../process/exit-codes.ts';
import { countSignals } from '../../process/interrupt.ts';
import { VERSION } from '../../process/version.ts';
import { checkOutput, explainUnwritten } from '../../trace/check-output.ts';
import { openDashboard } from '../dashboard/dashboard.ts';
import { type Named, nameFunctions } from './name-functions.ts';
import { openTarget } from './open-target.ts';
import { inputDocument, readInput } from './read-input.ts';
import { RECORD_OPTIONS, type RecordCall } from './record-options.ts';
import { recordProcessTo, recordsProcess } from './record-process.ts';
import { failedRecording, reportRecording } from './report-recording.ts';
import { showCounts } from './show-counts.ts';
import { gameAddress, printWarnings, reportStart } from './start-report.ts';

const WINDOW = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };

export const recordCommand = defineCommand({
  name: 'record',
  summary: 'Record a game, unchanged: a browser game with its assets and functions, or a process',
  description: `svc starts the installed Chrome, Chromium or Edge with a new, empty profile, opens the game, and records until you close the window, press Ctrl-C, or --seconds is over. A folder or a ZIP is served on 127.0.0.1 as svc play does it, and minified functions get the names of its source maps. The trace has frames, assets, loads and GPU uploads, and the functions of JavaScript and WebAssembly, sampled about every 200 µs. Pages in frames and workers are recorded, too.

With --pid, --name or a program after --, svc records a process instead, without a viewer, until it exits, you press Ctrl-C, or --seconds is over: CPU and memory once a second, and what --probes adds. A program is recorded from its first instruction, and svc ends it with the recording. Then svc checks the budgets in svc.json, if there are any. The exit code is 1 if one is not met, or if the program fails.

No data leaves this machine. If the tab or the browser crashes, the trace has everything up to then, without an end.`,
  arguments: [
    {
      name: '[URL|DIR|ZIP]',
      help: 'the game (default: the build in svc.json)',
      value: { kind: 'file', endings: ['zip'] },
    },
  ],
  options: RECORD_OPTIONS,
  program: true,
  examples: [
    ['svc record dist', 'the build in a folder, until you close the window'],
    ['svc record http://localhost:5173 -o game.vpt', 'a development server'],
    ['svc record dist --record-input level-1.input', 'play once, and keep what you did'],
    ['svc record dist --input level-1.input --headless --json', 'the same play in CI'],
    ['svc record --seconds 30 --probes frames,stacks -- ./my-game --demo', 'a native game'],
  ],
  document: 'record',
  async run(call) {
    const { io, options, output } = call;
    if (options.open === true && output.json) {
      throw usageError(
        'With --json, svc record does not open the dashboard.',
        'Leave out --open, or open the trace with svc dashboard FILE --json.',
      );
    }
    const path = options.output ?? `recording-${timestamp(new Date())}.vpt`;
    if (recordsProcess(call)) {
      await recordProcessTo(path, call);
      if (options.open === true) await openDashboard(path, io);
      return;
    }
    const script = await readInput(options, path, io);
    await recordTo(path, script, call);
    if (options.open === true) await openDashboard(path, io);
  },
});

/** Records the game into a trace and prints the answer. Throws an ExitError. */
async function recordTo(path: string, script: InputScript | null, call: RecordCall): Promise<void> {
  const { io, output, options } = call;
  const { findBrowser, recordGame, RecordError, StartWatch } = await import('@svc/recorder');
  const ending = new AbortController();
  const stop = countSignals(io, (count) => {
    if (count > 1) io.exit(EXIT.interrupted);
    ending.abort();
  });
  const counts = showCounts(io);
  let timer: NodeJS.Timeout | undefined;
  try {
    checkOutput(resolve(io.cwd, path), path);
    const browser = findBrowser(options.browser, { platform: process.platform, env: io.env });
    const warn = (text: string): void => {
      counts.clear();
      output.warn(text);
    };
    await using target = await openTarget({ ...call, output: { ...output, warn } }, ending.signal);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      output.note(
        'The browser runs without its sandbox, because you are root. Record only games that you trust.',
      );
    }
    using watch = new StartWatch(gameAddress(target));
    const recorded = await recordGame({
      ...settingsOf(call, script),
      watch,
      url: target.url,
      base: target.base,
      digest: target.build?.digest ?? null,
      output: resolve(io.cwd, path),
      browser,
      isRoot,
      signal: ending.signal,
      onStart() {
        counts.start();
        const { seconds } = options;
        if (seconds !== undefined) timer = setTimeout(() => ending.abort(), seconds * 1000);
      },
      onProgress: (now) => counts.update(now),
      onEnding: () => counts.ending(options.stacks),
    });
    const build = target.build?.path ?? null;
    const symbols = await namedFrom(build, call, path);
    counts.clear();
    const start = reportStart(watch.state);
    printWarnings(start, build !== null, (text) => output.warn(text));
    const inputs = inputDocument(options, script, recorded.input);
    await reportRecording(call, { path, build, recorded, start, inputs, symbols });
  } catch (error) {
    counts.clear();
    if (error instanceof RecordError) throw failedRecording(error, null);
    throw explainUnwritten(error, path);
  } finally {
    clearTimeout(timer);
    stop();
  }
}

function settingsOf(
  { options, io }: RecordCall,
  script: InputScript | null,
): Pick<
  RecordOptions,
  'headless' | 'size' | 'mobile' | 'cpuSlowdown' | 'stacks' | 'version' | 'input' | 'recordInput'
> {
  const { recordInput } = options;
  const mobile = options.mobile === true;
  return {
    headless: options.headless === true,
    size: options.size ?? script?.size ?? (mobile ? PHONE : WINDOW),
    mobile,
    cpuSlowdown: options.cpuSlowdown ?? 1,
    stacks: options.stacks,
    version: VERSION,
    ...(script !== null && { input: script }),
    ...(recordInput !== undefined && { recordInput: resolve(io.cwd, recordInput) }),
  };
}

/** Null without maps. A map that cannot be read is reported, and does not end the recording. */
async function namedFrom(
  build: string | null,
  { io, output, options }: RecordCall,
  path: string,
): Promise<Named | null> {
  if (build === null || !options.stacks) return null;
  try {
    return await nameFunctions(path, build, io, (text) => output.warn(text));
  } catch (error) {
    const reason = safeText(messageOf(error));
    output.warn(`The functions of the trace do not have the names of the source. ${reason}`);
    return null;
  }
}

/** A date and time for a file name: `20260301-100000`, in local time. */
function timestamp(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${date}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}
