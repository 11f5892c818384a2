// Prometheus with the configuration of the operator's guide, on other ports and with a shorter interval.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findFreePorts, type Program, startProgram } from '../cluster/start-program.ts';
import { guideFile } from './guide-file.ts';

const PATH = '/usr/bin/prometheus';

/** The guide's files for Prometheus. */
export const CONFIG: string = guideFile('prometheus.yml');
export const ALERTS: string = guideFile('svc-alerts.yml');
export const ALERTMANAGER: string = guideFile('alertmanager.yml');

/** A sample of the result of a query. */
type Sample = {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
};

export type Alert = {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
};

export type Prometheus = AsyncDisposable & {
  /** Evaluates an expression. Throws its error. */
  query(expression: string): Promise<readonly Sample[]>;
  /** The names of all metrics that it has read. */
  names(): Promise<readonly string[]>;
  alerts(): Promise<readonly Alert[]>;
};

/** The reason why Prometheus is not available, or null. */
export function prometheusMissing(): string | null {
  return existsSync(PATH) ? null : 'Prometheus is not installed';
}

/**
 * Starts Prometheus, which reads the metrics at these addresses every second, and sends its alerts to `alertmanager`. Alerts fire
 * without their wait.
 */
export async function startPrometheus(
  folder: string,
  targets: { readonly platform: string; readonly store: string; readonly alertmanager: string },
): Promise<Prometheus> {
  mkdirSync(folder);
  const guide = readFileSync(CONFIG, 'utf8');
  const config = replaceAll(guide, [
    [/_interval: 15s/, '_interval: 1s'],
    [/\['10\.0\.0\.11:9464', '10\.0\.0\.12:9464'\]/, `['${new URL(targets.platform).host}']`],
    [/\['10\.0\.0\.21:9465', '10\.0\.0\.22:9465'\]/, `['${new URL(targets.store).host}']`],
    [/127\.0\.0\.1:9093/, new URL(targets.alertmanager).host],
  ]);
  const alerts = replaceAll(readFileSync(ALERTS, 'utf8'), [[/for: \d+m/, 'for: 0s']]);
  writeFileSync(join(folder, basename(CONFIG)), config);
  writeFileSync(join(folder, basename(ALERTS)), alerts);
  const [port = 0] = await findFreePorts(1);
  const origin = `http://127.0.0.1:${port}`;
  const program: Program = await startProgram({
    name: 'prometheus',
    command: [
      PATH,
      `--config.file=${join(folder, basename(CONFIG))}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    env: {},
    isReady: async () => (await fetch(`${origin}/-/ready`).catch(() => null))?.ok === true,
  });
  const ask = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${origin}/api/v1/${path}`);
    const body = (await answer.json()) as { status: string; error?: string; data?: unknown };
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body.data;
  };
  return {
    async query(expression) {
      const data = await ask(`query?query=${encodeURIComponent(expression)}`);
      return (data as { result: Sample[] }).result;
    },
    names: async () => (await ask('label/__name__/values')) as string[],
    alerts: async () => ((await ask('alerts')) as { alerts: Alert[] }).alerts,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** Throws if a pattern is not in the text, so that the guide and this list stay the same. */
function replaceAll(
  text: string,
  pairs: readonly (readonly [pattern: RegExp, to: string])[],
): string {
  return pairs.reduce((now, [pattern, to]) => {
    if (!pattern.test(now)) throw new Error(`The guide does not contain ${pattern}`);
    return now.replaceAll(new RegExp(pattern, 'g'), to);
  }, text);
}
