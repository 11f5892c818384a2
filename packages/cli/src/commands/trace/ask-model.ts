// Asks a model provider about a trace, after the user has seen the request and agreed.
import { createInterface } from 'node:readline/promises';
import { ANALYSIS_INSTRUCTION } from '@svc/contracts/agent';
import { describeLeftOut, type TraceSummaryText } from '@svc/trace';
import { type Keys, withKeys } from '../../agent/provider-keys.ts';
import { safeText } from '../../output/text.ts';
import { canAnswer } from '../../process/attended.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';

export type ModelQuestion = {
  readonly model: string;
  readonly providerUrl: string | undefined;
  readonly summary: TraceSummaryText;
  /** Whether the user agreed on the command line (`--yes`). */
  readonly yes: boolean;
  /** False if standard input is the trace, so that the user cannot answer. */
  readonly canAsk: boolean;
};

export type ModelAnswer = { readonly model: string; readonly host: string; readonly text: string };

type Chosen = ReturnType<Keys['modelOf']>;

/** Shows the request and its receiver, asks for consent and sends it once. Throws an ExitError: 2 if it cannot ask, else 1. */
export async function askModel(question: ModelQuestion, io: Io): Promise<ModelAnswer> {
  return await withKeys(io, question.providerUrl, async (keys) => {
    // A model without a provider belongs to the only provider with a key, which may be in the keyring.
    if (!question.model.includes('/')) await keys.look();
    const chosen = keys.modelOf(question.model);
    const { provider, id: model } = chosen;
    const key = await keys.keyFor(provider);
    io.stderr.write(formatPreview(chosen, question.summary, key !== null));
    await consent(question, new URL(provider.url).host, io);
    const { askProvider } = await import('@svc/agent/providers');
    const { signal } = new AbortController();
    const text = await askProvider({
      provider,
      model,
      summary: question.summary.text,
      key,
      signal,
      env: io.env,
    });
    return { model: `${provider.id}/${model}`, host: new URL(provider.url).host, text };
  });
}

/** Shows everything that is sent: the instruction, the summary, and whether a key is sent with it. */
function formatPreview(
  { provider, id }: Chosen,
  summary: TraceSummaryText,
  withKey: boolean,
): string {
  return [
    `To ${new URL(provider.url).host} (${provider.url}), for the model ${safeText(id)}, ${withKey ? `with your key for ${provider.id}` : 'without a key'}:`,
    '',
    `--- instruction, ${Buffer.byteLength(ANALYSIS_INSTRUCTION)} bytes`,
    ANALYSIS_INSTRUCTION,
    `--- summary, ${summary.bytes} bytes`,
    `${safeText(summary.text)}--- end`,
    safeText(describeLeftOut(summary.left_out)),
    '',
  ].join('\n');
}

async function consent({ yes, canAsk }: ModelQuestion, host: string, io: Io): Promise<void> {
  if (yes) return;
  if (!canAsk || !canAnswer(io)) {
    throw usageError(
      'Nothing was sent: there is no terminal to ask for your consent.',
      'Add --yes to send the request shown above.',
    );
  }
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  const stop = new AbortController();
  lines.on('SIGINT', () => stop.abort());
  lines.on('close', () => stop.abort());
  const asked = lines.question(`Send this to ${host}? [y/N] `, { signal: stop.signal });
  const answer = await asked.catch(() => '');
  lines.close();
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new ExitError(EXIT.unexpected, 'declined', 'Nothing was sent.');
}
