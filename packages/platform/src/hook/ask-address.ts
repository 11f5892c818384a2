// Asks a server about a build: it gets the ZIP with the facts and a signature in headers, and answers with JSON.
import { createHmac, type Hmac } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { reasonOf } from '../database/database-failure.ts';
import { writeStream } from '../files/write-stream.ts';
import { HookError, type Question, rejection, type Verdict } from './question.ts';

export type AddressHook = {
  readonly kind: 'address';
  /** An http or https address. */
  readonly url: string;
  /** The key of the signature. Null: questions are not signed. */
  readonly secret: string | null;
  readonly timeoutMs: number;
};

const ANSWER_BYTES = 16 * 1024;

/** Asks the server. Throws as {@link PublishHook}. */
export async function askAddress(
  { url, secret, timeoutMs }: AddressHook,
  question: Question,
  signal: AbortSignal,
): Promise<Verdict> {
  const zip = await writeZip(question, secret, signal);
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await post(new URL(url), zip, AbortSignal.any([signal, late]));
    return readVerdict(answer);
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new HookError(`it did not answer within ${timeoutMs / 1000} s`);
    throw error;
  }
}

/** A ZIP in a file, and the headers that describe it. */
type WrittenZip = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
};

async function writeZip(
  question: Question,
  secret: string | null,
  signal: AbortSignal,
): Promise<WrittenZip> {
  const path = question.newPath();
  const facts = Buffer.from(JSON.stringify(question.facts)).toString('base64url');
  const at = Math.floor(Date.now() / 1000);
  const hmac = secret === null ? null : createHmac('sha256', secret).update(`${at}.${facts}.`);
  let size = 0;
  await writeStream(signed(question.readZip(), hmac), path, (bytes) => {
    signal.throwIfAborted();
    size = bytes;
  });
  return {
    path,
    headers: {
      'content-type': 'application/zip',
      'content-length': size,
      accept: 'application/json',
      'svc-build': facts,
      ...(hmac === null ? {} : { 'svc-signature': `t=${at},v1=${hmac.digest('hex')}` }),
    },
  };
}

async function* signed(
  chunks: AsyncIterable<Uint8Array>,
  hmac: Hmac | null,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hmac?.update(chunk);
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
}

/** Sends the ZIP and returns the text of the answer. Follows no redirect. */
async function post(url: URL, { path, headers }: WrittenZip, signal: AbortSignal): Promise<string> {
  const open = url.protocol === 'https:' ? requestHttps : requestHttp;
  const sent = open(url, { method: 'POST', headers, agent: false, signal });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
    // After a switch to another protocol there is neither an answer nor an error.
    sent.on('close', () => reject(new Error('the connection was closed')));
  });
  // A server may answer before it has read everything. Then its answer counts, and not that the rest could not be sent.
  const sending = pipeline(createReadStream(path), sent).then(
    () => answered,
    () => answered,
  );
  try {
    return await readAnswer(await Promise.race([answered, sending]));
  } catch (error) {
    throw error instanceof HookError
      ? error
      : new HookError(`it gave no answer: ${reasonOf(error)}`);
  } finally {
    sent.destroy();
    await sending.catch(() => {});
  }
}

async function readAnswer(answer: IncomingMessage): Promise<string> {
  if (answer.statusCode !== 200) {
    throw new HookError(`it answered with status ${answer.statusCode}`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES) {
      throw new HookError(`its answer is larger than ${ANSWER_BYTES / 1024} KiB`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readVerdict(answer: string): Verdict {
  const value = parseJson(answer);
  if (typeof value === 'object' && value !== null && 'accept' in value) {
    if (value.accept === true) return { accepted: true };
    const reason = 'reason' in value ? value.reason : '';
    if (value.accept === false && typeof reason === 'string') return rejection(reason);
  }
  throw new HookError(
    'its answer is neither {"accept": true} nor {"accept": false, "reason": "…"}',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
