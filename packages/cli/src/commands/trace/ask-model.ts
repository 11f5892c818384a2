// Asks a model provider about a trace, after the person has seen every byte and said yes.
import { createInterface } from 'node:readline/promises';
import { ANALYSIS_INSTRUCTION } from '@svc/contracts/agent';
import type { TraceSummaryText } from '@svc/trace';
import { type Keys, withKeys } from '../../agent/provider-keys.ts';
import { safeText } from '../../output/text.ts';
import { canAnswer } from '../../process/attended.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';

export type ModelQuestion = {
  readonly model: string;
  readonly providerUrl: string | undefined;
  readonly summary: TraceSummaryText;
  /** The person has said yes on the command line. */
  readonly yes: boolean;
  /** False where standard input is the trace, so that nobody can answer there. */
  readonly canAsk: boolean;
};

export type ModelAnswer = { readonly model: string; readonly host: string; readonly text: string };

type Chosen = ReturnType<Keys['modelOf']>;

/** Shows what would be sent and to whom, asks for consent, sends it once. Throws ExitError: 2 without consent, 1 for the rest. */
export async function askModel(question: ModelQuestion, io: Io): Promise<ModelAnswer> {
  return await withKeys(io, question.providerUrl, async (keys) => {
    // A bare model is of the one provider that has a key, also in the keyring.
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

/** All that is sent, as it is: the instruction, the summary, and whose key goes with it. */
function formatPreview(
  { provider, id }: Chosen,
  summary: TraceSummaryText,
  withKey: boolean,
): string {
  const left = summary.left_out.map(({ part, count }) => `${count} of "${part}"`);
  return [
    `To ${new URL(provider.url).host} (${provider.url}), for the model ${safeText(id)}, ${withKey ? `with your key for ${provider.id}` : 'without a key'}:`,
    '',
    `--- instruction, ${Buffer.byteLength(ANALYSIS_INSTRUCTION)} bytes`,
    ANALYSIS_INSTRUCTION,
    `--- summary, ${summary.bytes} bytes`,
    `${safeText(summary.text)}--- end`,
    left.length === 0 ? 'Nothing was left out for room.' : `Left out: ${safeText(left.join(', '))}`,
    '',
  ].join('\n');
}

async function consent({ yes, canAsk }: ModelQuestion, host: string, io: Io): Promise<void> {
  if (yes) return;
  if (!canAsk || !canAnswer(io)) {
    throw usageError(
      'Nothing was sent: there is no terminal to ask you on.',
      'With --yes what is shown above is sent.',
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
