// Which of several identity providers a person signs in at.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { until } from '../../../../scripts/until.ts';
import { ExitError } from '../process/exit-codes.ts';
import { chooseProvider } from './choose-provider.ts';

const ONE = {
  issuer: 'https://id.example/realms/Games',
  name: 'Example ID',
  client_id: 'store',
  cli_client_id: 'cli',
};
const TWO = { ...ONE, issuer: 'https://two.example', name: 'Two\u001b[2J' };
const BOTH = [ONE, TWO];

type Terminal = { readonly isTerminal: boolean; readonly ci?: string };

/** A process with a terminal or without one, and the text on its standard error so far. */
function open({ isTerminal, ci = '' }: Terminal = { isTerminal: false }) {
  const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal });
  const stderr = Object.assign(new PassThrough(), { isTTY: isTerminal });
  let text = '';
  stderr.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const interrupt = new AbortController();
  const io = {
    ...{ stdin, stdout: new PassThrough(), stderr, env: { CI: ci }, cwd: '/' },
    onSignal: () => () => {},
    raise: () => {},
    exit: () => assert.fail('exits'),
  };
  return { stdin, interrupt, asking: { io, signal: interrupt.signal }, shown: () => text };
}

function assertFailure(error: unknown, exitCode: number, message: RegExp, hint?: RegExp): true {
  assert.ok(error instanceof ExitError, String(error));
  assert.equal(error.exitCode, exitCode);
  assert.match(error.message, message);
  if (hint !== undefined) assert.match(error.extras.hint ?? '', hint);
  return true;
}

test('chooseProvider finds the wanted provider by name or address, in upper or lower case', async () => {
  const { asking } = open();
  for (const wanted of ['example id', ' EXAMPLE ID ', 'https://ID.example/realms/games']) {
    assert.equal(await chooseProvider(BOTH, wanted, asking), ONE, wanted);
  }
  assert.equal(await chooseProvider(BOTH, 'https://two.example', asking), TWO);
});

test('chooseProvider lists the names if the wanted one is unknown, also if there is only one', async () => {
  const { asking } = open();
  await assert.rejects(chooseProvider([ONE], 'x\u001b[2J', asking), (error) =>
    assertFailure(
      error,
      2,
      /^The platform has no identity provider "x\\x1b\[2J"\.$/,
      /^Choose one of these with --provider: Example ID\.$/,
    ),
  );
  await assert.rejects(chooseProvider(BOTH, '', asking), (error) =>
    assertFailure(error, 2, /""/, /: Example ID, Two\\x1b\[2J\.$/),
  );
});

test('chooseProvider returns the only provider, and requires the option if no person can be asked', async () => {
  for (const terminal of [{ isTerminal: false }, { isTerminal: true, ci: 'true' }]) {
    const { asking, shown } = open(terminal);
    assert.equal(await chooseProvider([ONE], null, asking), ONE);
    await assert.rejects(chooseProvider(BOTH, null, asking), (error) =>
      assertFailure(
        error,
        2,
        /^The platform has 2 identity providers: Example ID, Two\\x1b\[2J\.$/,
        /--provider/,
      ),
    );
    assert.equal(shown(), '');
  }
});

test('chooseProvider asks on a terminal until a number of the list is typed', async () => {
  const { asking, stdin, shown } = open({ isTerminal: true });
  const choosing = chooseProvider(BOTH, null, asking);
  for (const [times, answer] of ['', '0', '3', 'x', '2'].entries()) {
    const asked = (): number => shown().split('Sign in with [1-2]: ').length - 1;
    await until(asked, (count) => count > times, 'the question is asked', 10_000);
    stdin.write(`${answer}\n`);
  }
  assert.equal(await choosing, TWO);
  assert.match(
    shown(),
    /\n {2}1 {2}Example ID \(https:\/\/id\.example\/realms\/Games\)\n {2}2 {2}Two/,
  );
});

test('chooseProvider ends with 130 if the input ends, and with the reason of an aborted signal', async () => {
  const ended = open({ isTerminal: true });
  const choosing = chooseProvider(BOTH, null, ended.asking);
  ended.stdin.end();
  await assert.rejects(choosing, (error) => assertFailure(error, 130, /^Interrupted\.$/));
  const aborted = open({ isTerminal: true });
  const asked = chooseProvider(BOTH, null, aborted.asking);
  const reason = new ExitError(130, 'interrupted', 'Stopped.');
  aborted.interrupt.abort(reason);
  await assert.rejects(asked, reason);
});
