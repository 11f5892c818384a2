// The options that name a model provider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidValueError, type OptionSpec } from '../command-line/define-command.ts';
import { PROVIDER_OPTION, PROVIDER_URL_OPTION } from './provider-options.ts';

const parse = (option: OptionSpec, text: string): unknown => option.parse?.(text);

const refused = (option: OptionSpec, text: string, message: RegExp): void =>
  assert.throws(
    () => parse(option, text),
    (error) => error instanceof InvalidValueError && message.test(error.message),
    text,
  );

test('--provider accepts the providers that the agent knows, and rejects others', () => {
  for (const id of ['openai', 'anthropic', 'google', 'openrouter', 'ollama', 'custom']) {
    assert.equal(parse(PROVIDER_OPTION, id), id);
  }
  for (const id of ['', 'OpenAI', 'nobody'])
    refused(PROVIDER_OPTION, id, /^Choose one of openai, /);
});

test('--provider-url accepts https:, and http: for this machine only, and rejects an address with credentials', () => {
  for (const url of ['https://models.example/v1', 'http://127.0.0.1:1/v1', 'http://localhost:2']) {
    assert.equal(parse(PROVIDER_URL_OPTION, url), url);
  }
  for (const url of [
    '',
    'models.example',
    'http://models.example',
    'ftp://127.0.0.1',
    'http://10.0.0.1',
  ]) {
    refused(
      PROVIDER_URL_OPTION,
      url,
      /^Write an https: address, or an http: address of this machine\.$/,
    );
  }
  for (const url of [
    'https://key@models.example',
    'https://:key@models.example',
    'http://u:k@localhost',
  ]) {
    refused(PROVIDER_URL_OPTION, url, /^An address must not contain a key/);
  }
});
