// `svc-platform`. Only this file reads the arguments and the environment, and handles signals.
import { parseArgs } from 'node:util';
import { closeOnSignal, endWithError } from '@svc/serve';
import { readSettings } from './start/settings.ts';
import { startPlatform } from './start/start-platform.ts';

const HELP = `svc-platform [--port 8787] [--host 127.0.0.1] [--data-dir DIR] [--dev] [--json]

  --port N        port of the API; 0 for a free one (default 8787)
  --host HOST     address to listen on (default 127.0.0.1)
  --data-dir DIR  database and files (default ./svc-data)
  --dev           sign-in without a password, for development on this machine
  --json          print events as JSON lines on standard output

Environment variables (SVC_…) contain the settings. See docs/platform-api.md.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8787' },
      host: { type: 'string', default: '127.0.0.1' },
      'data-dir': { type: 'string', default: 'svc-data' },
      dev: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
    throw new Error(`Cannot listen on port "${values.port}". Allowed: 0 to 65535`);
  }
  const running = await startPlatform({
    port: Number(values.port),
    host: values.host,
    dataDir: values['data-dir'],
    dev: values.dev,
    settings: readSettings(process.env),
    log: (line) => process.stderr.write(`${line}\n`),
  });
  // Before the line is printed: its reader may stop the server at once.
  closeOnSignal(running.close);
  const { baseUrl: base_url, issuer } = running;
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ event: 'listening', base_url, issuer })}\n`
      : `The platform listens on ${base_url}. People sign in at ${issuer}\n`,
  );
}

main().catch(endWithError);
