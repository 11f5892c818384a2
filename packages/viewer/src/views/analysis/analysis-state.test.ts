import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Analysis } from '@svc/contracts/agent';
import { infoWith } from '../../../test/make-info.ts';
import { agent, refuse } from '../../../test/stand-in-agent.ts';
import { page, Refusal, settle } from '../../../test/stand-in-page.ts';
import { enterToken } from '../../client/session.ts';
import { budgetMs } from '../../state/address.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import {
  analysisFault,
  analyzeHere,
  analyzing,
  askModel,
  type Derived,
  derived,
  question,
} from './analysis-state.ts';
import type { AnalysisView } from './derive-analysis.ts';

enterToken('T'.repeat(43));

const VIEW: AnalysisView = {
  findings: [],
  summary: {
    text: 'the summary',
    bytes: 11,
    sha256: 'ab'.repeat(32),
    leftOut: 'The summary is complete.',
  },
};
const SHOWN: Derived = { ...VIEW, of: infoWith({ name: 'run.vpt' }), budgetMs: 20 };
const ANSWER: Analysis = {
  mode: 'provider',
  model: 'openai/x',
  host: 'api.openai.com',
  findings: [],
  text: 'It is slow.',
  summary_bytes: 11,
  summary_sha256: 'ab'.repeat(32),
};

beforeEach(() => {
  agent.requests.length = 0;
  agent.answer = () => Response.json(ANSWER);
  page.asked.length = 0;
  page.answers = { analysis: () => VIEW };
  mainTrace.value = infoWith({ name: 'run.vpt' });
  derived.value = null;
  analysisFault.value = null;
  question.value = null;
  budgetMs.value = 20;
});

test('the rules run in the page with its budget, and nothing is sent', async () => {
  await analyzeHere();
  assert.deepEqual(page.asked, [{ name: 'analysis', args: { slot: 'main', budgetMs: 20 } }]);
  assert.deepEqual(derived.value, { ...VIEW, of: mainTrace.value, budgetMs: 20 });
  assert.deepEqual([analyzing.value, analysisFault.value, agent.requests.length], [false, null, 0]);
});

test('the rules run once at a time, and only for an open trace', async () => {
  const { promise, resolve } = Promise.withResolvers<AnalysisView>();
  page.answers.analysis = () => promise;
  const first = analyzeHere();
  const of = mainTrace.value;
  assert.equal(analyzing.value, true);
  await analyzeHere();
  budgetMs.value = 50;
  mainTrace.value = infoWith({ name: 'run.vpt', revision: 2 });
  resolve(VIEW);
  await first;
  assert.equal(page.asked.length, 1);
  assert.deepEqual(
    [derived.value?.of, derived.value?.budgetMs],
    [of, 20],
    'the values at the time of the request',
  );
  mainTrace.value = null;
  await analyzeHere();
  assert.equal(page.asked.length, 1);
});

test('an error is shown until the next run', async () => {
  page.answers.analysis = () => {
    throw new Refusal('too_big', 'No more memory');
  };
  await analyzeHere();
  assert.deepEqual([analysisFault.value, analyzing.value], ['No more memory', false]);
  page.answers.analysis = () => VIEW;
  await analyzeHere();
  assert.equal(analysisFault.value, null);
});

test('a question sends only the digest of the shown summary, its budget and the model', async () => {
  budgetMs.value = 50;
  await askModel('openai/x', 'api.openai.com', SHOWN);
  assert.equal(agent.requests.length, 1);
  const [request] = agent.requests;
  assert.equal(`${request?.method} ${request?.address}`, 'POST /api/analyze');
  assert.deepEqual(JSON.parse(String(request?.body)), {
    offline: false,
    model: 'openai/x',
    summary_sha256: 'ab'.repeat(32),
    budget_ms: 20,
  });
  assert.deepEqual(question.value?.state, { kind: 'answered', answer: ANSWER });
  const { model, host, summary, trace } = question.value ?? {};
  assert.deepEqual(
    { model, host, summary, trace },
    { model: 'openai/x', host: 'api.openai.com', summary: VIEW.summary, trace: 'run.vpt' },
  );
});

test('a second question is sent only after the first was answered', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  agent.answer = () => promise;
  const first = askModel('openai/x', 'api.openai.com', SHOWN);
  await settle();
  assert.equal(question.value?.state.kind, 'waiting');
  await askModel('openai/y', 'api.openai.com', SHOWN);
  assert.deepEqual([agent.requests.length, question.value?.model], [1, 'openai/x']);
  resolve(Response.json(ANSWER));
  await first;
  agent.answer = () => Response.json(ANSWER);
  await askModel('openai/y', 'api.openai.com', SHOWN);
  assert.equal(agent.requests.length, 2);
});

test('a cancelled question is reported as cancelled and possibly sent', async () => {
  agent.answer = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  const asked = askModel('openai/x', 'api.openai.com', SHOWN);
  await settle();
  assert.ok(question.value?.state.kind === 'waiting');
  question.value.state.cancel.abort();
  await asked;
  assert.deepEqual(question.value?.state, {
    kind: 'failed',
    message: 'You cancelled the question.',
    sent: true,
  });
});

test('a failed question states whether anything was sent', async () => {
  for (const [code, sent] of [
    ['summary_changed', false],
    ['provider_key_missing', false],
    ['no_trace', false],
    ['work_in_progress', false],
    ['invalid_input', false],
    ['not_available', false],
    ['unauthenticated', false],
    ['provider_error', true],
    ['provider_timeout', true],
    ['internal', true],
  ] as const) {
    agent.answer = () => refuse(code as 'internal', 409, 'It did not work');
    await askModel('openai/x', 'api.openai.com', SHOWN);
    const { state } = question.value ?? {};
    assert.deepEqual(state, { kind: 'failed', message: 'It did not work.', sent }, code);
  }
  agent.answer = () => {
    throw new TypeError('Failed to fetch');
  };
  await askModel('openai/x', 'api.openai.com', SHOWN);
  assert.equal(question.value?.state.kind === 'failed' && question.value.state.sent, true);
});
