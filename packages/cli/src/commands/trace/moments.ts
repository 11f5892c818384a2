// `svc trace moments`: lists the worst moments of a trace, or describes one of them in full.
import { DEFAULT_BUDGET_MS } from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { parseCount } from '../../command-line/values.ts';
import { MARKDOWN_OPTION, reportWriter } from '../../output/print-blocks.ts';
import { FRAME_MS_OPTION } from '../../trace/frame-budget.ts';
import { findPlace, PLACE_HELP, parsePlace } from '../../trace/moment-place.ts';
import { readModel } from '../../trace/read-model.ts';
import { FILE_ARGUMENT } from '../../trace/read-trace.ts';
import { formatMoment } from './format-moment.ts';
import { formatMomentList } from './format-moment-list.ts';
import { listMoments, MOMENT_ORDERS } from './list-moments.ts';
import { describeMoment } from './one-moment.ts';

const LISTED = 20;
/** Each hitch is searched in the whole trace for its causes. */
const MOST_LISTED = 1000;
/** The most items of a kind of one moment. */
const ITEMS = 10;

export const momentsCommand = defineCommand({
  name: 'moments',
  summary: 'List the worst moments of a trace, or describe one of them in full',
  description: `Each hitch, which is a frame that took more than 5 % longer than its budget, is one line: its name, its time, its duration, what bounds it and what caused it. hitch:1 is the longest one in every order and with every limit. A trace without frames, such as one of a native process, has other moments: cpu:1 is the second with the most CPU time, memory:1 the one in which RSS rose most.

--at describes one moment: the frame before it, the frame and the one after it, or the hitches and the memory of a range, then functions, assets, long tasks, garbage collections and other spans, marks and log lines. It takes ${PLACE_HELP}.`,
  arguments: [FILE_ARGUMENT],
  options: [
    { flags: '--at <MOMENT>', help: 'describe this moment in full', parse: parsePlace },
    {
      flags: '--sort <ORDER>',
      help: 'duration (default: the worst first) or time; the worst ones are listed in both cases',
      choices: MOMENT_ORDERS,
      value: { kind: 'words', words: MOMENT_ORDERS },
    },
    {
      flags: '--limit <N>',
      help: `number of moments to list (default: ${LISTED}), or with --at of items of each kind (default: ${ITEMS})`,
      parse: (text: string) => parseCount(text, MOST_LISTED),
    },
    FRAME_MS_OPTION,
    MARKDOWN_OPTION,
  ],
  examples: [
    ['svc trace moments game.vpt', 'one line for each of the worst hitches'],
    ['svc trace moments game.vpt --at hitch:1', 'all about the longest one'],
    ['svc trace moments game.vpt --at 31.2', 'all about the longest hitch from 31.2 s to 31.3 s'],
    ['svc trace moments game.vpt --at 31-32', 'the hitches, the memory and the work of a second'],
  ],
  document: 'trace-moments',
  async run({ args: [file = ''], options, io, output }) {
    const { at, sort = 'duration', limit, frameMs = DEFAULT_BUDGET_MS, markdown } = options;
    const write = reportWriter(io, output, markdown);
    const model = await readModel(file, io);
    if (at === undefined) {
      const list = listMoments(model, frameMs, sort, limit ?? LISTED);
      output.result(list, (paint) => write(formatMomentList(list), paint));
      return;
    }
    const place = findPlace(model, at, frameMs, file);
    const moment = describeMoment(model, at, place, frameMs, limit ?? ITEMS);
    output.result(moment, (paint) => write(formatMoment(moment), paint));
  },
});
