import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFault } from './check-command.ts';
import { commandsIn } from './find-commands.ts';

async function faultOf(text: string, isWhole = true): Promise<string | null> {
  const [command] = commandsIn(text.replaceAll('|', '\\|'), isWhole, 1);
  assert.ok(command !== undefined);
  return await findFault(command);
}

const GOOD = [
  'svc trace info game.vpt',
  'svc trace info FILE --json',
  'svc dashboard --pid PID --probes stacks,files',
  'svc trace analyze FILE --model PROVIDER/MODEL',
  'svc play [DIR|ZIP|URL]',
  'svc preview list',
  'svc help publish',
  'svc --version --json',
  'sudo env "PATH=$PATH" svc probes install',
  'sudo --user=svc-platform env -i PATH=/usr/bin svc-platform check --data-dir /x',
  'sudo svc-platform-run admin user list',
  'npx svc init',
  'svc completion bash|zsh|fish',
  'svc-platform [--port 8787] [--dev]',
  'npx svc-platform migrate --json',
  'svc-web --api http://127.0.0.1:8787',
  'npm ci',
  'npm start',
  'npm run build',
  'npm run build -w @svc/web',
  'npm test -- packages/trace',
  'npm run bench -- platform-costs',
  'npm run mutate -- packages/trace/src/vpt --minutes 10',
  'npm run release -- --out DIR --sign-key FILE',
  'npm exec -c "node --test scripts/version.test.ts"',
  'node compatibility/write-baseline.ts',
  'git clone x',
];

for (const text of GOOD) {
  test(`"${text}" is a correct command`, async () => {
    assert.equal(await faultOf(text), null);
  });
}

const BAD: Readonly<Record<string, RegExp>> = {
  'svc trade info game.vpt': /unknown command 'trade'/,
  'svc trace infos game.vpt': /unknown command 'infos'/,
  'svc trace': /outputHelp/,
  'svc trace info': /missing required argument/,
  'svc trace info a b': /too many arguments/,
  'svc trace info FILE --limits 3': /unknown option '--limits'/,
  'svc dashboard --pid many': /is invalid/,
  'svc completion tcsh': /"tcsh" is none of: bash,zsh,fish/,
  'svc dashboard --pid': /argument missing/,
  'svc preview list|forge': /unknown command 'forge'/,
  'svc check --run --json x --no': /unknown option/,
  'check --run': /"check" is no program/,
  'sudo --user=svc-platform env -i PATH=/usr/bin svc-platform mend': /"mend" is no command/,
  'sudo svc-platform-run mend': /"mend" is no command/,
  'svc-platform mend': /"mend" is no command/,
  'svc-platform check --repairs': /no option --repairs/,
  'svc-web --host-name x': /no option --host-name/,
  'npm build': /npm has no command/,
  'npm run builds': /no script "builds"/,
  'npm run play -w @svc/web': /no script "play"/,
  'npm test -- packages/tracer': /"packages\/tracer" selects nothing/,
  'npm run bench -- nothing': /"nothing" selects nothing/,
  'npm run release -- --output DIR': /no option --output/,
  'npm exec -c "node scripts/none.ts"': /scripts\/none\.ts does not exist/,
  'node scripts/none.ts': /scripts\/none\.ts does not exist/,
  'make all': /"make" is no program/,
  'npm run release -- --o DIR': /no option --o$/,
};

for (const [text, fault] of Object.entries(BAD)) {
  test(`"${text}" is a mistake`, async () => {
    assert.match((await faultOf(text)) ?? '', fault);
  });
}

for (const text of [
  'svc trace info',
  'svc trace',
  'svc trace diff --fail-on',
  'trace info',
  'svc …',
]) {
  test(`"${text}" is correct in a sentence, which may leave out the rest`, async () => {
    assert.equal(await faultOf(text, false), null);
  });
}

test('an unknown option is a mistake in a sentence, too', async () => {
  assert.match((await faultOf('svc trace info --limits', false)) ?? '', /unknown option/);
  assert.match((await faultOf('svc trace --limits', false)) ?? '', /unknown option/);
  assert.match((await faultOf('check --runs', false)) ?? '', /unknown option/);
  assert.equal(await faultOf('check --run', false), null);
});
