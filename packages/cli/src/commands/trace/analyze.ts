// `svc trace analyze`: reports problems in a trace by local rules, or with --model by a model.
import { createHash } from 'node:crypto';
import { analyzeTrace, bytesText, type Evidence, type Finding, summarizeTrace } from '@svc/trace';
import { PROVIDER_URL_OPTION } from '../../agent/provider-options.ts';
import { defineCommand } from '../../command-line/define-command.ts';
import type { Paint, Tone } from '../../output/output.ts';
import { formatDuration, safeText } from '../../output/text.ts';
import { usageError } from '../../process/exit-codes.ts';
import { FRAME_MS_OPTION } from '../../trace/frame-budget.ts';
import { readModel } from '../../trace/read-model.ts';
import { FILE_ARGUMENT } from '../../trace/read-trace.ts';

export const analyzeCommand = defineCommand({
  name: 'analyze',
  summary: 'Find problems in a trace, worst first',
  description: `The rules look for frames over budget and their rhythm, hitches and the assets that cause them, long tasks, memory that grows or grows in steps, a full core, CPU use with a rhythm, storms of reads and page faults, hot functions and missing data. Each finding has evidence and a next step. The rules run on this machine, and no data is sent. The same trace gives the same findings.

With --model, svc sends a summary of at most 24,000 bytes to the provider of that model only. It first shows the address and the whole summary, and asks you. The key comes from the environment or from the keyring (svc key set).`,
  arguments: [FILE_ARGUMENT],
  options: [
    FRAME_MS_OPTION,
    {
      flags: '--model <MODEL>',
      help: 'ask this model, written as PROVIDER/MODEL, after showing you the request',
    },
    PROVIDER_URL_OPTION,
    { flags: '--yes', help: 'send the request without asking' },
  ],
  examples: [
    ['svc trace analyze game.vpt', 'find out why a game hitches'],
    ['svc trace analyze game.vpt --model ollama/llama3.2', 'ask a model on this machine'],
  ],
  document: 'trace-analyze',
  async run({ args: [file = ''], options, io, output }) {
    if (options.yes === true && options.model === undefined) {
      throw usageError('--yes needs --model: without it nothing is sent.');
    }
    const model = await readModel(file, io);
    const budget = options.frameMs === undefined ? {} : { budget_ms: options.frameMs };
    const summary = summarizeTrace(model, budget);
    const about = {
      summary_bytes: summary.bytes,
      summary_sha256: createHash('sha256').update(summary.text).digest('hex'),
    };
    if (options.model !== undefined) {
      const { model: asked, providerUrl, yes = false } = options;
      const question = { model: asked, providerUrl, summary, yes, canAsk: file !== '-' };
      // Loaded here, because the schemas of the agent take longer to load than the rest of the command.
      const { askModel } = await import('./ask-model.ts');
      const answer = await askModel(question, io);
      output.result({ mode: 'provider', findings: [], ...answer, ...about }, () =>
        safeText(answer.text),
      );
      return;
    }
    const findings = analyzeTrace(model, budget);
    output.result(
      { mode: 'offline', model: null, host: null, findings, text: null, ...about },
      (paint) => formatFindings(findings, paint),
    );
  },
});

const TONES: Readonly<Record<Finding['severity'], Tone>> = {
  critical: 'red',
  warning: 'yellow',
  info: 'dim',
};

function formatFindings(findings: readonly Finding[], paint: Paint): string[] {
  if (findings.length === 0) return ['No problems found.'];
  return findings.flatMap(({ severity, title, detail, evidence }, at) => [
    ...(at === 0 ? [] : ['']),
    `${paint(TONES[severity], severity.padEnd(8))}  ${paint('bold', safeText(title))}`,
    `          ${safeText(detail)}`,
    ...evidence.map((item) => `          - ${safeText(formatEvidence(item))}`),
  ]);
}

function formatEvidence({ label, value, unit, t, duration_ms }: Evidence): string {
  return [
    label,
    ...(value === undefined ? [] : [formatValue(value, unit)]),
    ...(t === undefined ? [] : [`at ${formatDuration(t)}`]),
    ...(duration_ms === undefined ? [] : [`for ${formatDuration(duration_ms)}`]),
  ].join('  ');
}

function formatValue(value: number | string, unit: string | undefined): string {
  const [, rate] = /^bytes((?: a (?:minute|second))?)$/.exec(unit ?? '') ?? [];
  if (rate !== undefined && typeof value === 'number') return `${bytesText(value)}${rate}`;
  return unit === undefined ? String(value) : `${value} ${unit}`;
}
