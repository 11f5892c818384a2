// Reads docs/questions.md: the questions, and for each tool the counted steps.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../scripts/workspaces.ts';

/** A row of a question's table: how one tool answers it. */
type Way = {
  readonly tool: string;
  /** The cell with the count, for example `3 (SQL)` or `no`. */
  readonly count: string;
  /** The steps in order. Empty if the first screen has the answer, or if the tool has none. */
  readonly steps: readonly string[];
};

type Question = {
  /** The number and the question, as in the heading. */
  readonly title: string;
  readonly ways: readonly Way[];
};

export type QuestionsPage = {
  readonly questions: readonly Question[];
  /** The rows of the summary: the title of the question, then a count for each tool in the order of `tools`. */
  readonly summary: readonly (readonly string[])[];
  /** The tools of the summary. */
  readonly tools: readonly string[];
};

export async function readQuestions(): Promise<QuestionsPage> {
  const text = await readFile(join(ROOT, 'docs/questions.md'), 'utf8');
  const sections = text.split(/^## /m).map((section) => section.trim());
  const summary = rowsOf(sections.find((section) => section.startsWith('Summary')) ?? '');
  const [head = [], ...rows] = summary;
  return {
    questions: sections.filter((section) => /^\d/.test(section)).map(questionOf),
    summary: rows.map(([link = '', ...counts]) => [/\[(.*)\]/.exec(link)?.[1] ?? '', ...counts]),
    tools: head.slice(1),
  };
}

/** The command in a step of the terminal, without `svc`. */
export function commandOf(step: string): string[] {
  return /^`svc (.*)`$/.exec(step)?.[1]?.split(' ') ?? [];
}

/** The leading number of a count; null for `no`. */
export function numberOf(count: string): number | null {
  const [digits] = /^\d+/.exec(count) ?? [];
  return digits === undefined ? null : Number(digits);
}

function questionOf(section: string): Question {
  const [title = ''] = section.split('\n', 1);
  const ways = rowsOf(section)
    .slice(1)
    .map(([tool = '', count = '', how = '']) => ({ tool, count, steps: stepsOf(count, how) }));
  return { title, ways };
}

/** Steps are before an arrow and separated by semicolons. The text after it describes the answer. */
function stepsOf(count: string, how: string): string[] {
  const [before = ''] = how.split('→');
  if (numberOf(count) === null || before === '') return [];
  return before.split(';').map((step) => step.trim());
}

/** The cells of all rows of a Markdown table, the head first. */
function rowsOf(text: string): string[][] {
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('| ---'));
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}
