// `svc trace budget`: checks a trace against the budgets in svc.json, for CI.
import { defineCommand } from '../../command-line/define-command.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { formatChecks, requireBudgets } from '../../trace/budgets.ts';
import { FILE_ARGUMENT } from '../../trace/read-trace.ts';

export const budgetCommand = defineCommand({
  name: 'budget',
  summary: 'Check a trace against the budgets in svc.json',
  description: `"budgets" in svc.json may have these fields: frame_p99_ms, hitches (frames longer than 1.5 times 16.67 ms), asset_bytes and gpu_bytes (totals over all assets), draw_calls (that 99 % of the frames do not exceed), shaders (how many), and rss_bytes (the maximum). The ratios frame_p99_ratio and first_frame_ratio are for svc check --run --against. The exit code is 1 if the trace does not meet a budget. A budget whose value is missing in the trace counts as not met.`,
  arguments: [FILE_ARGUMENT],
  examples: [['svc trace budget smoke-test.vpt', 'in CI, after a scripted run of the game']],
  document: 'trace-budget',
  async run({ args: [file = ''], io, output }) {
    const checks = await requireBudgets(file, io, output, EXIT.unexpected);
    output.result({ kept: true, checks }, (paint) => formatChecks(checks, paint));
  },
});
