// Runs a test file of a package with the path rules of Windows.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { finish } from '../../packages/cli/test/svc.ts';
import { ROOT } from '../../scripts/workspaces.ts';

/** A test file, and the beginnings of the names of its tests that cannot pass there, with the reason. */
export type PortableFile = {
  readonly file: string;
  readonly except?: Readonly<Record<string, string>>;
};

/** Runs the file. Fails if a test fails or is missing, or if a file of Windows is left in this machine's folder. */
export async function testOnWindows(t: TestContext, { file, except = {} }: PortableFile) {
  const names = Object.keys(except);
  const imports = ['e2e/other-systems/simulate-windows.ts', 'scripts/end-test-file.ts'];
  const options = [
    ...['--test', '--test-reporter=tap', '--disable-warning=ExperimentalWarning'],
    ...imports.flatMap((path) => ['--import', join(ROOT, path)]),
    ...names.map((name) => `--test-skip-pattern=/^${name.replaceAll(/[^\w ]/g, '\\$&')}/`),
  ];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [...options, file], { cwd: ROOT, env, stdio: 'pipe' });
  t.after(() => child.kill('SIGKILL'));
  const { code, stdout, stderr } = await finish(child);
  assert.equal(code, 0, `${stdout}${stderr}`);
  const [passed = 0, skipped = 0] = ['pass', 'skipped'].map((word) =>
    Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(stdout)?.[1]),
  );
  // Some tests are skipped by themselves on Windows, and a loop may contain more than one.
  const written = readFileSync(join(ROOT, file), 'utf8').match(/^test\(/gm)?.length ?? 0;
  assert.ok(
    passed > 0 && passed + skipped >= written - names.length,
    `${passed} of ${written} passed`,
  );
  assert.deepEqual(
    readdirSync(ROOT).filter((name) => name.startsWith('C:')),
    [],
  );
}
