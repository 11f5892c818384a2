// Jobs that use the action for GitHub and the component for GitLab.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parseAllDocuments } from 'yaml';
import type { Finished } from '../../packages/cli/test/svc.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { type Job, runLines, startJob } from './ci-job.ts';
import type { PlatformProcess } from './platform-process.ts';

/** A job whose game is built. `npm` in it only notes what it was asked for. */
export async function startBuilt(
  t: TestContext,
  platform: PlatformProcess,
  name: string,
): Promise<Job> {
  const job = await startJob(t, platform, name);
  const built = await runLines(t, job, 'npm run build', {}, null);
  assert.equal(built.code, 0, built.stderr);
  const npm = `#!/bin/sh\nprintf '%s\\n' "$*" >>'${job.home}/npm'\n`;
  writeFileSync(join(job.home, 'bin/npm'), npm, { mode: 0o755 });
  return job;
}

type Inputs = Readonly<
  Record<string, { readonly default?: string; readonly options?: readonly string[] }>
>;

type Component = {
  readonly inputs: Inputs;
  /** Runs the script with these inputs and variables. */
  readonly run: (
    given: Readonly<Record<string, string>>,
    more?: Readonly<Record<string, string>>,
  ) => Promise<Finished>;
};

/** The component, with the inputs that are not given at their defaults. */
export function readComponent(t: TestContext, platform: PlatformProcess, job: Job): Component {
  const text = readFileSync(join(ROOT, 'integrations/gitlab/templates/svc.yml'), 'utf8');
  const [head, body] = parseAllDocuments(text);
  assert.ok(head !== undefined && body !== undefined);
  const { inputs }: { inputs: Inputs } = head.toJS().spec;
  const run: Component['run'] = async (given, more = {}) => {
    const fill = (value: string): string =>
      value.replaceAll(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => {
        assert.ok(name in inputs, name);
        return given[name] ?? inputs[name]?.default ?? assert.fail(`${name} is required`);
      });
    const [name, jobOf] =
      Object.entries<{
        script: string[];
        variables: Record<string, string>;
        id_tokens: { SVC_ID_TOKEN: { aud: string } };
      }>(body.toJS())[0] ?? assert.fail('there is no job');
    assert.equal(fill(name), 'svc');
    assert.equal(fill(jobOf.id_tokens.SVC_ID_TOKEN.aud), platform.baseUrl);
    // Values are only in variables, and not in the script.
    for (const line of jobOf.script) assert.ok(!line.includes('$[['), line);
    const variables = Object.entries(jobOf.variables).map(([key, value]) => [key, fill(value)]);
    const all = { ...Object.fromEntries(variables), ...more };
    return await runLines(t, job, jobOf.script.join('\n'), all, null);
  };
  return { inputs, run };
}
