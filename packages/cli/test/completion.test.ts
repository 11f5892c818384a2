// The completion scripts in the real shells.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadAllCommands } from '../src/commands.ts';
import { bareEnvironment, runSvc, temporaryFolder } from './svc.ts';

const COMMANDS = await loadAllCommands();

type Shell = 'bash' | 'zsh' | 'fish';

/** The completions of the last word of the line, sorted. */
type Complete = (words: readonly string[]) => string[];

async function startShell(t: TestContext, shell: Shell): Promise<Complete | null> {
  if (!existsSync(`/usr/bin/${shell}`)) {
    t.skip(`${shell} is not installed`);
    return null;
  }
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'a folder'));
  writeFileSync(join(folder, 'my trace.vpt'), '');
  const script = join(folder, `svc.${shell}`);
  const { code, stdout } = await runSvc(t, ['completion', shell]);
  assert.equal(code, 0);
  writeFileSync(script, stdout);
  return (words) => {
    const [command, ...args] = askers[shell](script, words);
    const result = spawnSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      env: bareEnvironment(folder, { TERM: 'dumb' }),
      timeout: 60_000,
    });
    assert.equal(result.stderr, '');
    return result.stdout
      .split('\n')
      .map((line) => line.replaceAll('\\ ', ' '))
      .filter((line) => line !== '')
      .sort();
  };
}

const askers: Record<Shell, (script: string, words: readonly string[]) => [string, ...string[]]> = {
  bash: (script, words) => [
    '/usr/bin/bash',
    '--norc',
    '-c',
    `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
    script,
    'svc',
    ...words,
  ],
  // zsh completes only in its line editor. So the test runs one on a terminal and reads what it inserts or lists.
  zsh: (script, words) => [
    '/usr/bin/zsh',
    '-f',
    join(import.meta.dirname, 'complete.zsh'),
    script,
    ['svc', ...words].join(' '),
  ],
  fish: (script, words) => [
    '/usr/bin/fish',
    '--no-config',
    '-c',
    `source $argv[1]; complete -C "$argv[2]" | string replace -r '\\t.*' ''`,
    script,
    ['svc', ...words].join(' '),
  ],
};

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  test(`svc completion ${shell} makes the shell offer commands, options and words`, async (t) => {
    const complete = await startShell(t, shell);
    if (complete === null) return;
    assert.deepEqual(complete(['']), [...COMMANDS.map((spec) => spec.name), 'help'].sort());
    assert.deepEqual(complete(['comp']), ['completion']);
    assert.deepEqual(complete(['trace', 'c']), ['check', 'convert']);
    assert.deepEqual(complete(['trace', 'info', 'my']), ['my trace.vpt']);
    assert.deepEqual(complete(['init', '--engine', 'god']), ['godot']);
    assert.deepEqual(complete(['token', 'create', '--name', 'x', '--sc']), ['--scope']);
    assert.deepEqual(complete(['completion', '']), ['bash', 'fish', 'zsh']);
    assert.deepEqual(complete(['completion', '--he']), ['--help']);
    assert.deepEqual(complete(['help', 'comp']), ['completion']);
  });
}
