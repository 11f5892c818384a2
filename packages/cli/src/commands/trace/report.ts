// `svc trace report`: the answer on a trace in one place, as text or as a page with the trace in it.
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { bytesText, DEFAULT_BUDGET_MS } from '@svc/trace';
import { readViewerFile } from '../../agent/agent-files.ts';
import { defineCommand } from '../../command-line/define-command.ts';
import { MARKDOWN_OPTION, reportWriter } from '../../output/print-blocks.ts';
import { usageError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import { checkOutput } from '../../trace/check-output.ts';
import { FRAME_MS_OPTION } from '../../trace/frame-budget.ts';
import { packTrace } from '../../trace/pack-trace.ts';
import { readModel } from '../../trace/read-model.ts';
import { FILE_ARGUMENT } from '../../trace/read-trace.ts';
import { type PageContent, writeReportPage } from '../../trace/report-page.ts';
import { openTarget } from '../../trace/write-target.ts';
import { describeOverview } from './describe-overview.ts';
import { formatOverview } from './format-overview.ts';

export const reportCommand = defineCommand({
  name: 'report',
  summary: 'Answer what is slow in a trace: as text, as Markdown, or as a page to send',
  description: `The answer comes first: what causes most of the time over budget. Then the causes of the hitches, the worst moments with the names that svc trace moments --at takes, the pacing of the frames, memory, the costliest assets, the hottest functions, and what the trace does not contain. A trace without frames is judged by its errors, its process, or its functions.

-o writes one HTML page with the viewer and the trace in it. It opens from disk in a browser, without svc, and requests nothing. It contains the whole trace and the name of its file, so send it only to people who may have the trace. The file is complete or missing, never partial. The answer is printed, too.`,
  arguments: [FILE_ARGUMENT],
  options: [
    {
      flags: '-o, --out <OUT>',
      help: 'write a page with the trace to this file; - writes it to standard output instead of the answer',
      value: { kind: 'file', endings: ['html'] },
    },
    FRAME_MS_OPTION,
    MARKDOWN_OPTION,
  ],
  examples: [
    ['svc trace report game.vpt', 'what is slow, and why'],
    ['svc trace report game.vpt -o report.html', 'a page to attach to a pull request'],
    ['svc trace report game.vpt --markdown > report.md', 'for its description'],
  ],
  document: 'trace-report',
  async run({ args: [file = ''], options, io, output }) {
    const { out, frameMs = DEFAULT_BUDGET_MS, markdown } = options;
    const write = reportWriter(io, output, markdown);
    if (out === '-' && (output.json || markdown === true)) {
      throw usageError('--json and --markdown need standard output. Write the page to a file.');
    }
    if (out !== undefined && out !== '-') checkPage(file, out, io);
    const packer = out === undefined ? null : packTrace();
    const model = await readModel(file, io, packer?.push);
    const overview = describeOverview(model, frameMs);
    let page: { out: string; bytes: number } | null = null;
    if (out !== undefined && packer !== null) {
      const bytes = await writePage(out, io, {
        name: file === '-' ? 'standard input' : basename(resolve(io.cwd, file)),
        verdict: overview.verdict,
        fragment: options.frameMs === undefined ? '' : `budget=${options.frameMs}`,
        trace: await packer.finish(),
      });
      page = { out, bytes };
    }
    if (out === '-') return;
    output.result({ ...overview, page }, (paint) => write(formatOverview(overview, page), paint));
    if (page !== null) output.note(`Wrote ${page.out} (${bytesText(page.bytes)}).`);
  },
});

/** Throws an ExitError if the page cannot be written, or would replace the trace. */
function checkPage(file: string, out: string, io: Io): void {
  const path = resolve(io.cwd, out);
  checkOutput(path, out, '-o OUT');
  if (file !== '-' && isSameFile(resolve(io.cwd, file), path)) {
    throw usageError(`The page would replace the trace "${file}".`, 'Name another file with -o.');
  }
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) =>
    statSync(path, { bigint: true, throwIfNoEntry: false }),
  );
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

async function writePage(out: string, io: Io, content: PageContent): Promise<number> {
  const template = await readViewerFile();
  await using target = openTarget(out, io);
  await writeReportPage(target, template, content);
  return await target.commit();
}
