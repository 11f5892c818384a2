// The options of `svc record`: for browser games, for processes, and for both.
import { MEASURE_OPTIONS, PROCESS_OPTIONS } from '../../agent/process-options.ts';
import type { Call, OptionSpec, OptionValues } from '../../command-line/define-command.ts';
import { parseSeconds } from '../../command-line/parse-seconds.ts';
import { parseSize, parseSlowdown } from './record-values.ts';

export const RECORD_OPTIONS = [
  {
    flags: '-o, --output <FILE>',
    help: 'the trace to write (default: recording-DATE-TIME.vpt)',
    value: { kind: 'file', endings: ['vpt'] },
  },
  {
    flags: '--seconds <N>',
    help: 'end the recording after this time (default: when you close the window, the process exits, or you press Ctrl-C)',
    parse: parseSeconds,
  },
  ...PROCESS_OPTIONS,
  ...MEASURE_OPTIONS,
  { flags: '--headless', help: 'show no window, for CI' },
  { flags: '--size <WxH>', help: 'size of the page (default: 1280x720)', parse: parseSize },
  {
    flags: '--mobile',
    help: 'show the page as on a phone: touch, a phone’s pixel ratio, 390x844',
  },
  {
    flags: '--cpu-slowdown <N>',
    help: 'run the page N times slower, from 1 to 20, as on a slow device',
    parse: parseSlowdown,
  },
  {
    flags: '--browser <PATH>',
    help: 'the program of Chrome, Chromium or Edge (default: the installed one)',
    value: { kind: 'file' },
  },
  {
    flags: '--input <FILE>',
    help: 'play the keys, pointer and gamepad steps of this script, from the first frame on',
    value: { kind: 'file', endings: ['input'] },
  },
  {
    flags: '--record-input <FILE>',
    help: 'write what you do in the game as a script for --input',
    value: { kind: 'file', endings: ['input'] },
  },
  { flags: '--no-stacks', help: 'record no functions, which costs the least time' },
  { flags: '--allow-secrets', help: 'allow keys and .env files in the build' },
  { flags: '--open', help: 'open the trace in the dashboard afterwards, until you press Ctrl-C' },
] as const satisfies readonly OptionSpec[];

export type RecordCall = Call<OptionValues<typeof RECORD_OPTIONS>, 'record'>;
