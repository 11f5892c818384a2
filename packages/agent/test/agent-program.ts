// An agent as a separate program, for the tests. It reads its options as JSON from argv and prints
// two JSON lines.
import { type AgentOptions, startAgent } from '../src/index.ts';

const options: AgentOptions = JSON.parse(process.argv[2] ?? '');
const agent = await startAgent(options);
const { origin, token } = agent;
console.log(JSON.stringify({ origin, token, port: Number(new URL(origin).port) }));
process.once('SIGTERM', () => agent.end('signal'));
console.log(JSON.stringify(await agent.ended));
