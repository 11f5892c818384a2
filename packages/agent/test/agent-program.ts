// An agent as a separate program, for the tests. It reads its options as JSON from argv and prints
// two JSON lines.
import { startAgent } from '../src/index.ts';
import { parseOptions } from './harness.ts';

const agent = await startAgent(parseOptions(process.argv[2]));
const { origin, token } = agent;
console.log(JSON.stringify({ origin, token, port: Number(new URL(origin).port) }));
process.once('SIGTERM', () => agent.end('signal'));
console.log(JSON.stringify(await agent.ended));
