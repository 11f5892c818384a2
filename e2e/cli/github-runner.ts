// Runs a composite action as the runner of GitHub Actions does: inputs and outputs by expressions, each step in bash.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parse } from 'yaml';
import { type Job, runLines } from './ci-job.ts';

type Step = {
  readonly id?: string;
  readonly if?: string;
  readonly shell: string;
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
};

type Action = {
  readonly inputs: Readonly<
    Record<string, { readonly default?: string; readonly required?: boolean }>
  >;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
};

export type Ran = {
  readonly code: number | null;
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
};

/** Runs the action in the folder with these inputs. It stops at the first step that fails. */
export async function runAction(
  t: TestContext,
  folder: string,
  job: Job,
  given: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const action: Action = parse(readFileSync(join(folder, 'action.yml'), 'utf8'));
  assert.equal(action.runs.using, 'composite');
  for (const name of Object.keys(given)) assert.ok(name in action.inputs, name);
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: usual, required }]) => {
      assert.ok(required !== true || name in given, `the input ${name} is required`);
      return [name, given[name] ?? usual ?? ''];
    }),
  );
  const temporary = mkdtempSync(join(job.home, 'runner-'));
  const [output, summary] = ['output', 'summary'].map((name) => join(temporary, name));
  assert.ok(output !== undefined && summary !== undefined);
  writeFileSync(output, '');
  writeFileSync(summary, '');
  const steps: Record<string, Record<string, string>> = {};
  /** The value of `${{ … }}`. */
  const evaluate = (text: string): string =>
    text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
      const [kind, name = '', ...rest] = expression.split('.');
      if (kind === 'inputs') return inputs[name] ?? assert.fail(expression);
      assert.deepEqual([kind, rest[0]], ['steps', 'outputs'], expression);
      return steps[name]?.[rest[1] ?? ''] ?? '';
    });
  let log = '';
  let code: number | null = 0;
  for (const step of action.runs.steps) {
    if (step.if !== undefined && !holds(step.if, inputs)) continue;
    assert.equal(step.shell, 'bash');
    // A value in the text of a script could add commands to it.
    assert.ok(!step.run.includes('${{'), step.run);
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value)]);
    const env = {
      ...Object.fromEntries(own),
      ...more,
      GITHUB_ACTION_PATH: folder,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: temporary,
    };
    const ran = await runLines(t, job, step.run, env, null);
    log += ran.stdout + ran.stderr;
    if (step.id !== undefined) steps[step.id] = readOutputs(output);
    code = ran.code;
    if (code !== 0) break;
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [
    name,
    evaluate(value),
  ]);
  return {
    code,
    log,
    outputs: Object.fromEntries(outputs),
    summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '',
  };
}

/** The one form of condition that the action has. */
function holds(condition: string, inputs: Readonly<Record<string, string>>): boolean {
  const [, name = ''] = /^inputs\.([\w-]+) != ''$/.exec(condition) ?? assert.fail(condition);
  return inputs[name] !== '';
}

function readOutputs(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}
