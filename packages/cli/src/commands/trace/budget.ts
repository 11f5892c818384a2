// `svc trace budget`: whether a trace keeps the limits that a game has set itself, for CI.
import { defineCommand } from '../../command-line/define-command.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { formatChecks, holdToBudgets } from '../../trace/budgets.ts';
import { FILE_ARGUMENT } from '../../trace/read-trace.ts';

export const budgetCommand = defineCommand<object>({
  name: 'budget',
  summary: 'Check a trace against the budgets in svc.json',
  description: `"budgets" in svc.json holds any of: frame_p99_ms, hitches (frames that took over one and a half times 16.67 ms), asset_bytes, gpu_bytes (both summed over all assets), rss_bytes (the most). It ends with 1 where one is broken; one that the trace does not tell counts as broken too, so that a gate never opens by accident.`,
  arguments: [FILE_ARGUMENT],
  examples: [['svc trace budget smoke-test.vpt', 'in CI, after a scripted run of the game']],
  async run({ args: [file = ''], io, output }) {
    const checks = await holdToBudgets(file, io, output, EXIT.unexpected);
    output.result({ kept: true, checks }, (paint) => formatChecks(checks, paint));
  },
});
