// Runs with only a loopback interface: sends every request to an agent, or (rogue) connects to the
// network, then reports what the kernel counted.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  AGENT_ROUTES,
  AgentError,
  exportTrace,
  importTrace,
  liveProtocols,
} from '@svc/contracts/agent';
import { type AgentOptions, startAgent } from '../src/index.ts';
import { askRaw, clientOf, parseOptions, until, vptOf } from './harness.ts';

/** Packets without a route: https://www.rfc-editor.org/rfc/rfc4293 ipSystemStatsOutNoRoutes. */
function outNoRoutes(): number {
  const [names = '', values = ''] = readFileSync('/proc/net/snmp', 'latin1')
    .split('\n')
    .filter((line) => line.startsWith('Ip:'));
  const at = names.split(' ').indexOf('OutNoRoutes');
  assert.ok(at > 0);
  return Number(values.split(' ')[at]);
}

/** Requests every route of the contract. Returns their number. */
async function askEverything(options: AgentOptions): Promise<number> {
  const agent = await startAgent(options);
  const asked = new Set<keyof typeof AGENT_ROUTES>();
  const client = clientOf(agent);
  const note = async <T>(name: keyof typeof AGENT_ROUTES, answer: Promise<T>): Promise<T> => {
    asked.add(name);
    return answer;
  };
  const refusable = async (name: keyof typeof AGENT_ROUTES, answer: Promise<unknown>) => {
    await note(name, answer).catch((error) => assert.ok(error instanceof AgentError));
  };
  await fetch(agent.origin);
  const live = new WebSocket(
    `${agent.origin.replace('http', 'ws')}/api/live`,
    liveProtocols(agent.token),
  );
  await once(live, 'message');
  asked.add('live');
  await note('import_trace', importTrace(client, vptOf({ type: 'mark', t: 1, name: 'here' })));
  const added = { id: 1, t: 1, text: 'a note' };
  await note('add_notes', client.call('add_notes', { body: { notes: [added] } }));
  await note('assets', client.call('assets', {}));
  await refusable('analyze', client.call('analyze', { body: { offline: true } }));
  await refusable('key', client.call('key', { body: { key: 'sk-nothing' } }));
  await refusable('key_remove', client.call('key_remove', { body: {} }));
  await note('start', client.call('start', {}));
  await until(
    () => note('status', client.call('status', {})),
    ({ trace }) => trace?.origin === 'capture' && trace.records >= 2,
  );
  await (await note('export_trace', exportTrace(client)))?.response.text();
  await note('off', client.call('off', {}));
  await agent.ended;
  assert.deepEqual([...asked].sort(), Object.keys(AGENT_ROUTES).sort());
  return asked.size;
}

/** On port 80 a client writes `Host` without the port. */
async function askPort80(options: AgentOptions): Promise<void> {
  const agent = await startAgent({ ...options, port: 80 });
  const status = async (host: string): Promise<number> => {
    const authorization = `Authorization: Bearer ${agent.token}`;
    const lines = ['GET /api/status HTTP/1.1', `Host: ${host}`, authorization, 'Connection: close'];
    return (await askRaw(80, `${lines.join('\r\n')}\r\n\r\n`)).status;
  };
  assert.equal(await status('127.0.0.1'), 200);
  assert.equal(await status('127.0.0.1:80'), 200);
  for (const host of ['localhost', '127.0.0.1:8080', '127.0.0.1:']) {
    assert.equal(await status(host), 403, host);
  }
  await clientOf(agent).call('off', {});
  await agent.ended;
}

const [mode, options = '{}'] = process.argv.slice(2);
if (mode === 'port-80') {
  await askPort80(parseOptions(options));
  console.log('port 80: all held');
} else if (mode === 'rogue') {
  await fetch('http://203.0.113.7/').catch(() => {});
  console.log(`OutNoRoutes ${outNoRoutes()}`);
} else {
  const asked = await askEverything(parseOptions(options));
  console.log(`asked ${asked} endpoints, OutNoRoutes ${outNoRoutes()}`);
}
