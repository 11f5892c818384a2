// `svc mcp`: answers questions of a coding assistant about traces, by the Model Context Protocol.
import { defineCommand } from '../../command-line/define-command.ts';
import { findPlaces } from '../../mcp/traces/trace-places.ts';
import { TRACE_ENDINGS } from '../../trace/trace-endings.ts';

export const mcpCommand = defineCommand({
  name: 'mcp',
  summary: 'Let a coding assistant read traces, by the Model Context Protocol',
  description: `A coding assistant starts this command and asks it about traces: why the game hitches, which functions and assets cost the most, what became slower. svc reads the recordings of svc dashboard, and the files and folders that you name, and no other file. It changes nothing and opens no connection. The answers go to the assistant, which may send them to its provider.

The command speaks the protocol on standard input and output, and ends when the assistant closes them.`,
  arguments: [
    {
      name: '[FILE|DIR...]',
      help: 'traces, or folders with traces, that the assistant may read besides the recordings of svc dashboard',
      value: { kind: 'file', endings: TRACE_ENDINGS },
    },
  ],
  examples: [
    ['svc mcp', 'the recordings of svc dashboard'],
    ['svc mcp . Trace-20260301T100000.json.gz', 'and the traces in this folder, and one more'],
  ],
  async run({ args, io }) {
    const places = findPlaces(args, io);
    const { serveTraces } = await import('../../mcp/serve-traces.ts');
    await serveTraces(places, io);
  },
});
