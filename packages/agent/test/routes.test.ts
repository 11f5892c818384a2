// The routes of the server are exactly those of the contract, and its codes are those of the table.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  AGENT_ERRORS,
  AGENT_LIMITS,
  AGENT_ROUTES,
  type AgentErrorCode,
  COMMON_ERRORS,
} from '@svc/contracts/agent';
import { createServer } from '@svc/serve';
import { registerAgentRoutes } from '../src/agent-routes.ts';
import { AGENT_CONDITIONS } from '../src/failure.ts';
import { startAgent } from '../src/index.ts';
import { ProviderKeys } from '../src/providers/provider-keys.ts';
import { Session } from '../src/session/session.ts';
import { createLastExports } from '../src/trace/last-exports.ts';
import { agentOptions, ask, assertNothingOpen, temporaryFolder, vptOf } from './harness.ts';

const SOURCE = join(import.meta.dirname, '..', 'src');

test('registerAgentRoutes: every route of the contract and no other under /api', async () => {
  const keys = new ProviderKeys({
    env: {},
    providerUrl: null,
    askKeyring: () => assert.fail('no keyring is needed to register routes'),
    onChange: () => {},
  });
  const session = new Session({
    keys,
    process: null,
    launched: false,
    retained: null,
    recovered: [],
    offers: [],
    follow: null,
    ttlMs: 60_000,
    limits: { ...AGENT_LIMITS },
    place: { dataDir: '/nowhere' },
    version: '0',
    capBytes: 0,
    pssIntervalMs: 1000,
    startWorker: () => assert.fail('no thread is needed to register routes'),
    onChange: () => {},
    onBusyChild: () => {},
    onEnding: () => {},
  });
  const found: string[] = [];
  const server = await createServer({
    errors: AGENT_ERRORS,
    codes: AGENT_CONDITIONS,
    requestMs: 1000,
    handlers: 1,
    bodyBytes: 1000,
    onFailure: (error) => assert.ifError(error),
    routes: (app) => {
      app.addHook('onRoute', ({ method, url, config }) => {
        if (config?.allow === undefined)
          found.push(...[method].flat().map((one) => `${one} ${url}`));
      });
      registerAgentRoutes(app, {
        session,
        keys,
        env: {},
        startWorker: () => assert.fail('no thread is needed to register routes'),
        dataDir: '/nowhere',
        lastExports: createLastExports(),
        requestMs: 30_000,
        limitBytes: 1,
        page: [{ path: '/', type: 'text/html', body: Buffer.from('') }],
        authority: () => '',
      });
    },
  });
  await server.close(0);
  await session.abandon();
  const wanted = Object.values(AGENT_ROUTES).map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(found.sort(), [...wanted, 'GET /', 'HEAD /'].sort());
});

test('a fault of the agent is answered as internal without details, and reported to onFailure', async () => {
  using folder = temporaryFolder();
  const failures: unknown[] = [];
  const workerUrl = new URL('data:text/javascript,throw new Error("a secret of the inside");');
  const options = agentOptions(folder.path, {
    workerUrl,
    onFailure: (error) => failures.push(error),
  });
  {
    await using agent = await startAgent(options);
    const port = Number(new URL(agent.origin).port);
    const answer = await ask({ agent, port }, 'POST', '/api/trace', { body: vptOf() });
    assert.deepEqual([answer.status, answer.code], [500, 'internal']);
    assert.doesNotMatch(answer.text, /secret/);
    assert.match(String(failures), /^Error: a secret of the inside$/);
    assert.equal((await ask({ agent, port }, 'GET', '/api/trace')).code, 'no_trace');
  }
  await assertNothingOpen(folder.path);
});

test('every code of the table has a use', () => {
  const texts = globSync('**/*.ts', { cwd: SOURCE }).map((name) =>
    readFileSync(join(SOURCE, name), 'utf8'),
  );
  const source = texts.join('\n');
  const ofRoutes: readonly AgentErrorCode[] = Object.values(AGENT_ROUTES).flatMap(
    ({ errors }) => errors,
  );
  const listed = new Set<string>([...COMMON_ERRORS, ...ofRoutes]);
  for (const code of Object.keys(AGENT_ERRORS)) {
    assert.ok(source.includes(`'${code}'`), `the source uses ${code}`);
    assert.ok(listed.has(code), `a route has ${code}`);
  }
});
