// Starts `svc mcp` for tests: with the client of the MCP library, or with plain lines.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { bareEnvironment, type Cleanup, SVC, temporaryFolder } from './svc.ts';

type Called = {
  readonly isError: boolean;
  readonly text: string;
  /** Parsed JSON, whose shape the tests state by reading it. */
  // biome-ignore lint/suspicious/noExplicitAny: the schemas are checked by the server
  readonly answer: any;
  /** Of the whole answer. */
  readonly bytes: number;
};

export type Assistant = {
  readonly client: Client;
  readonly pid: number;
  /** All of standard error. */
  readonly stderr: () => string;
  readonly call: (tool: string, input?: Record<string, unknown>) => Promise<Called>;
};

/** Connects to a new `svc mcp`, which ends with the test. `home` is the home folder, with the recordings below `.local/share`. `version` is that of the protocol. */
export async function startAssistant(
  t: Cleanup,
  args: readonly string[],
  options: { readonly cwd: string; readonly home?: string; readonly version?: string },
): Promise<Assistant> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SVC, 'mcp', ...args],
    cwd: options.cwd,
    env: bareEnvironment(options.home ?? temporaryFolder(t)),
    stderr: 'pipe',
  });
  const mode = options.version === undefined ? 'legacy' : { pin: options.version };
  const client = new Client({ name: 'svc test', version: '1' }, { versionNegotiation: { mode } });
  let stderr = '';
  transport.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  t.after(() => client.close());
  await client.connect(transport);
  return {
    client,
    pid: transport.pid ?? 0,
    stderr: () => stderr,
    call: async (tool, input = {}) => {
      const result = await client.callTool({ name: tool, arguments: input });
      const [first] = result.content;
      const text = first?.type === 'text' ? first.text : '';
      const { structuredContent: answer } = result;
      const bytes = Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(answer ?? null));
      return { isError: result.isError === true, text, answer, bytes };
    },
  };
}

/** The lines that begin a session, for tests that write lines themselves. */
export const GREETING: string = [
  {
    jsonrpc: '2.0',
    id: 'hello',
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'svc test', version: '1' },
    },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join('');

/** A line that calls a tool. */
export function callLine(id: number, name: string, input: object = {}): string {
  const params = { name, arguments: input };
  return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`;
}
