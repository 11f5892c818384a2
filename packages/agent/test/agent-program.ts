// An agent as a program of its own, for the tests: options as JSON in argv, two JSON lines out.
import { type AgentOptions, startAgent } from '../src/index.ts';

const options: AgentOptions = JSON.parse(process.argv[2] ?? '');
const agent = await startAgent(options);
const { origin, token } = agent;
console.log(JSON.stringify({ origin, token, port: Number(new URL(origin).port) }));
process.once('SIGTERM', () => agent.end('signal'));
console.log(JSON.stringify(await agent.ended));
