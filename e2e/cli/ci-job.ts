// Jobs of a CI: a checkout of a game with a build script, the token of its secret store, and a shell.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  bareEnvironment,
  type Finished,
  finish,
  SVC,
  startSvc,
  temporaryFolder,
} from '../../packages/cli/test/svc.ts';
import { type PlatformProcess, signInAt, signInFor } from './platform-process.ts';

export type Job = {
  readonly home: string;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly token: string;
};

/** A checkout of a game with a build script, and a token as from the CI's secret store. */
export async function startJob(
  t: TestContext,
  platform: PlatformProcess,
  name: string,
): Promise<Job> {
  const home = temporaryFolder(t);
  const cwd = join(home, 'game');
  mkdirSync(join(cwd, 'src'), { recursive: true });
  mkdirSync(join(home, 'bin'));
  symlinkSync(SVC, join(home, 'bin/svc'));
  symlinkSync(process.execPath, join(home, 'bin/node'));
  writeFileSync(join(cwd, 'src/index.html'), '<!doctype html><title>Recipe</title>');
  const build = 'mkdir -p dist && cp src/index.html dist/';
  const manifest = { name: 'recipe', version: '1.0.0', scripts: { build } };
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest));
  const lock = { name: 'recipe', version: '1.0.0', lockfileVersion: 3, packages: { '': manifest } };
  writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify(lock));
  const id = await createProject(platform, await createToken(t, platform, home, name), name);
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ id, title: name, build: 'dist' }));
  const token = await createToken(
    t,
    platform,
    home,
    name,
    '--project',
    id,
    '--expires-in-days',
    '90',
  );
  const env = bareEnvironment(home, {
    PATH: `${home}/bin:${process.env['PATH'] ?? ''}`,
    npm_config_cache: join(home, 'cache'),
    SVC_API: platform.baseUrl,
    SVC_TOKEN: token,
  });
  return { home, cwd, env, token };
}

/** Creates a token as in docs/ci.md, with these options. */
async function createToken(
  t: TestContext,
  platform: PlatformProcess,
  home: string,
  person: string,
  ...options: string[]
): Promise<string> {
  const create = ['token', 'create', '--name', 'ci', ...options, '--no-open'];
  const child = startSvc(t, [...create, '--api', platform.baseUrl], { env: { HOME: home } });
  const done = finish(child);
  await signInFor(child, person);
  const { code, stdout, stderr } = await done;
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

/** Creates a project as the first publish does. Returns its id. */
async function createProject(
  platform: PlatformProcess,
  token: string,
  title: string,
): Promise<string> {
  const answer = await fetch(`${platform.baseUrl}/projects`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
  });
  assert.equal(answer.status, 201, await answer.clone().text());
  const { game }: { game: { id: string } } = JSON.parse(await answer.text());
  return game.id;
}

/** Runs the lines like a CI: in a shell that stops at the first failure. Signs in when a command asks for it. */
export async function runLines(
  t: TestContext,
  { cwd, env }: Job,
  lines: string,
  more: Record<string, string>,
  /** The user who signs in on a terminal; missing for a job, which has no terminal. */
  person: string | null,
): Promise<Finished> {
  const command = ['/bin/bash', '-eo', 'pipefail', '-c', lines];
  const onTerminal = ['script', '-qec', command.map(quote).join(' '), '/dev/null'];
  const [program = '', ...args] = person === null ? command : onTerminal;
  const shell = spawn(program, args, { cwd, env: { ...env, ...more } });
  t.after(() => shell.kill('SIGKILL'));
  const visited = new Set<string>();
  let output = '';
  shell.stdout.on('data', (chunk) => {
    output += String(chunk);
    for (const [, address = ''] of output.matchAll(/^ {2}(http\S+)\r$/gm)) {
      if (person === null || visited.has(address)) continue;
      visited.add(address);
      void signInAt(address, person);
    }
  });
  return await finish(shell);
}

/** One word of a shell line. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
