// `svc-platform` without a command: starts the server and serves until a signal arrives.
import { parseArgs } from 'node:util';
import { openServerLog } from '@svc/observe';
import { closeOnSignal, describeUnknownSettings } from '@svc/serve';
import { readSettings } from '../start/settings.ts';
import { startPlatform } from '../start/start-platform.ts';
import type { Command } from './command.ts';
import { chooseDataDir, DATA_DIR } from './data-dir.ts';

export const serve: Command = {
  usage: 'svc-platform [--port 8787] [--host 127.0.0.1] [--data-dir DIR] [--dev] [--json]',
  help: `  --port N        port of the API; 0 for a free one (default 8787)
  --host HOST     address to listen on (default 127.0.0.1)
  --data-dir DIR  database and files (default: SVC_DATA_DIR, or ./svc-data)
  --dev           sign-in without a password, for development on this machine
  --json          print events as JSON lines on standard output
`,
  async run(args, environment) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '8787' },
        host: { type: 'string', default: '127.0.0.1' },
        ...DATA_DIR,
        dev: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
      throw new Error(`Cannot listen on port "${values.port}". Allowed: 0 to 65535`);
    }
    const settings = readSettings(environment);
    const log = openServerLog(settings.observe);
    const unknown = describeUnknownSettings(environment);
    if (unknown !== null) log.warn(unknown);
    const running = await startPlatform({
      port: Number(values.port),
      host: values.host,
      dataDir: chooseDataDir(values, settings),
      dev: values.dev,
      settings,
      log,
    }).catch(async (error: unknown) => {
      await log.flush();
      throw error;
    });
    // Before the line is printed: its reader may stop the server at once.
    closeOnSignal(() => running.drain().finally(log.flush));
    const { baseUrl: base_url, issuer, metricsUrl: metrics_url } = running;
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ event: 'listening', base_url, issuer, metrics_url })}\n`
        : `The platform listens on ${base_url}. People sign in at ${issuer}\n${metrics_url === null ? '' : `The metrics are at ${metrics_url}\n`}`,
    );
  },
};
