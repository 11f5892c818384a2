// `svc trace …`: works with traces without a server.
import type { GroupSpec } from '../../command-line/define-command.ts';
import { analyzeCommand } from './analyze.ts';
import { assetsCommand } from './assets.ts';
import { blameCommand } from './blame.ts';
import { budgetCommand } from './budget.ts';
import { checkCommand } from './check.ts';
import { convertCommand } from './convert.ts';
import { diffCommand } from './diff.ts';
import { hitchesCommand } from './hitches.ts';
import { infoCommand } from './info.ts';
import { leaksCommand } from './leaks.ts';
import { momentsCommand } from './moments.ts';
import { noteCommand } from './note.ts';
import { reportCommand } from './report.ts';
import { symbolicateCommand } from './symbolicate.ts';
import { topCommand } from './top.ts';

export const traceGroup: GroupSpec = {
  name: 'trace',
  summary: 'Read traces without a dashboard: .vpt, CPU profiles, Chrome traces, folded stacks',
  commands: [
    reportCommand,
    infoCommand,
    assetsCommand,
    checkCommand,
    convertCommand,
    analyzeCommand,
    momentsCommand,
    hitchesCommand,
    leaksCommand,
    topCommand,
    diffCommand,
    symbolicateCommand,
    noteCommand,
    budgetCommand,
    blameCommand,
  ],
};
