// `svc-web`: reads the arguments and the environment, and handles signals. No other file of this package does.
import { parseArgs } from 'node:util';
import { openServerLog } from '@svc/observe';
import {
  closeOnSignal,
  describeUnknownSettings,
  endWithError,
  readSettingsInFiles,
} from '@svc/serve';
import manifest from '../package.json' with { type: 'json' };
import { readSettings } from './settings.ts';
import { startWeb } from './start-web.ts';

const HELP = `svc-web [--api http://127.0.0.1:8787] [--port 8788] [--host 127.0.0.1] [--json]

  --api URL    address of the platform (default SVC_API, else http://127.0.0.1:8787)
  --port N     port of the site; 0 for any free port (default 8788)
  --host HOST  address to listen on (default 127.0.0.1)
  --json       print events as JSON lines on standard output
  --version    print the version

Settings come from the environment (SVC_…): docs/store.md lists them.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      api: { type: 'string' },
      port: { type: 'string', default: '8788' },
      host: { type: 'string', default: '127.0.0.1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      version: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.version) {
    process.stdout.write(values.help ? HELP : `${manifest.version}\n`);
    return;
  }
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
    throw new Error(`Cannot listen on port "${values.port}": it must be 0 to 65535`);
  }
  const given = values.api === undefined ? {} : { SVC_API: values.api };
  const environment = { ...readSettingsInFiles(process.env), ...given };
  const settings = readSettings(environment);
  const log = openServerLog(settings.observe);
  const unknown = describeUnknownSettings(environment);
  if (unknown !== null) log.warn(unknown);
  const running = await startWeb({
    apiUrl: settings.apiUrl ?? 'http://127.0.0.1:8787',
    ...(settings.origin === null ? {} : { origin: settings.origin }),
    ...(settings.name === null ? {} : { name: settings.name }),
    secret: settings.secret,
    otherSecrets: settings.otherSecrets,
    databaseUrl: settings.databaseUrl,
    ...(settings.drainSeconds === null ? {} : { drainMs: settings.drainSeconds * 1000 }),
    footerLinks: settings.footerLinks,
    trustProxy: settings.trustProxy,
    securityContacts: settings.securityContacts,
    clients: settings.clients,
    port: Number(values.port),
    host: values.host,
    log,
    observe: settings.observe,
  }).catch(async (error: unknown) => {
    await log.flush();
    throw error;
  });
  // Before the line is printed: its reader may send a signal at once.
  closeOnSignal(() => running.drain().finally(log.flush));
  const { origin, port, metricsUrl: metrics_url } = running;
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ event: 'listening', origin, port, metrics_url })}\n`
      : `The store is at ${origin}\n${metrics_url === null ? '' : `The metrics are at ${metrics_url}\n`}`,
  );
}

main().catch(endWithError);
