// The request and answer formats of the providers. Pure functions.
import { ANALYSIS_INSTRUCTION } from '@svc/contracts/agent';
import type { Dialect } from './known-providers.ts';

export type ProviderQuestion = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The longest answer that is requested. The dialect `messages` requires this number. */
const ANSWER_TOKENS = 4_096;

/** Builds the complete question: the instruction, and the summary as the user has seen it. */
export function formatQuestion(
  dialect: Dialect,
  model: string,
  summary: string,
  key: string | null,
): ProviderQuestion {
  const user = { role: 'user', content: summary };
  if (dialect === 'messages') {
    const body = {
      model,
      max_tokens: ANSWER_TOKENS,
      system: ANALYSIS_INSTRUCTION,
      messages: [user],
    };
    const version = { 'anthropic-version': '2023-06-01' };
    return {
      headers: key === null ? version : { ...version, 'x-api-key': key },
      body: JSON.stringify(body),
    };
  }
  const messages = [{ role: 'system', content: ANALYSIS_INSTRUCTION }, user];
  return {
    headers: key === null ? {} : { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages, stream: false }),
  };
}

/** The text of an answer, or null if the answer has another form. */
export function parseAnswer(dialect: Dialect, body: string): string | null {
  const value = parseJson(body);
  const content =
    dialect === 'messages' ? at(value, 'content') : at(value, 'choices', 0, 'message', 'content');
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part) => at(part, 'text')).filter((text) => typeof text === 'string');
  return texts.length === 0 ? null : texts.join('');
}

/**
 * Text that looks like a token of a provider, also if partly masked with asterisks, and any text
 * after "Bearer".
 */
const KEY_LIKE =
  /\bbearer\s+\S+|\b(?:sk|pk|rk|gsk|xai|key|org|proj)[-_][\w*-]{4,}|\bAIza[\w*-]{8,}|\b(?=[\w+/-]*\d)[\w+/-]{32,}={0,2}/gi;

/**
 * The provider's error message for the user: one line, with everything that looks like a key
 * replaced.
 */
export function formatProviderFault(body: string, key: string | null): string {
  const value = parseJson(body);
  const message =
    at(value, 'error', 'message') ?? at(value, 0, 'error', 'message') ?? at(value, 'error');
  if (typeof message !== 'string') return '';
  const whole = key === null ? message : message.replaceAll(key, '[key]');
  return whole
    .replaceAll(KEY_LIKE, '[key]')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 300);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner === null ? undefined : Object(inner)[key]),
    value,
  );
}
