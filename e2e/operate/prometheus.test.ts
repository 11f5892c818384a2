// The guide's files for Prometheus and Grafana, with a real Prometheus that reads the servers under load.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { readObserveSettings } from '@svc/observe';
import { readSettings } from '@svc/platform';
import {
  newDatabase,
  openPlatform,
  postgresMissing,
  publishBuild,
  startPostgres,
} from '@svc/platform/testing';
import { startWeb } from '@svc/web';
import { parse } from 'yaml';
import { until } from '../../scripts/until.ts';
import { guideFile } from './guide-file.ts';
import {
  ALERTMANAGER,
  ALERTS,
  type Alert,
  CONFIG,
  type Prometheus,
  prometheusMissing,
  startPrometheus,
} from './start-prometheus.ts';

const DASHBOARD = guideFile('grafana-dashboard.json');
const CASES = ['alert-cases.yml', 'slow-alert-cases.yml'];
const AMTOOL = '/usr/bin/amtool';
const PLAYS = 600;
const AT_ONCE = 12;
/** Compressed answers would have fewer bytes. */
const PLAIN = { 'accept-encoding': 'identity' };

type Target = { readonly expr: string };
type Panel = {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly Target[];
};
type Rule = { readonly alert: string; readonly expr: string };

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-prometheus-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function promtool(args: readonly string[], options: { cwd?: string; input?: string } = {}): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, {
    ...{ encoding: 'utf8', timeout: 60_000, ...options },
  });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

function readPanels(): readonly Panel[] {
  return JSON.parse(readFileSync(DASHBOARD, 'utf8')).panels;
}

function readRules(): readonly Rule[] {
  const { groups } = parse(readFileSync(ALERTS, 'utf8'));
  return groups.flatMap(({ rules }: { rules: Rule[] }) => rules);
}

/** The expressions of the dashboard, with its variables replaced as for all processes. */
function readExpressions(): readonly string[] {
  return readPanels()
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) =>
      expr
        .replaceAll('$job', 'svc-.*')
        .replaceAll('$instance', '.*')
        .replaceAll('$__rate_interval', '30s'),
    );
}

/** The names of metrics in an expression. */
function metricsIn(expression: string): string[] {
  return expression.match(/\b(?:svc|nodejs|process)_\w+|\bup\b/g) ?? [];
}

test('the configuration, the alerts and the dashboard are valid, and alerts fire when they should', {
  skip: prometheusMissing() ?? false,
}, (t) => {
  const folder = newFolder(t);
  for (const file of [CONFIG, ALERTS]) copyFileSync(file, join(folder, basename(file)));
  for (const name of CASES) copyFileSync(join(import.meta.dirname, name), join(folder, name));
  assert.match(
    promtool(['check', 'config', basename(CONFIG)], { cwd: folder }),
    /SUCCESS: 19 rules found/,
  );
  assert.match(promtool(['test', 'rules', ...CASES], { cwd: folder }), /SUCCESS/);
  const panels = readPanels();
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  for (const { title, type, targets = [] } of panels) {
    assert.ok(title !== '', 'each panel has a title');
    assert.equal(targets.length > 0, type !== 'row', title);
  }
});

test('Alertmanager accepts its configuration', {
  skip: existsSync(AMTOOL) ? false : 'Alertmanager is not installed',
}, () => {
  const { status, stdout, stderr } = spawnSync(AMTOOL, ['check-config', ALERTMANAGER], {
    ...{ encoding: 'utf8', timeout: 60_000 },
  });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /SUCCESS/);
  assert.match(stdout, / 1 receivers/);
});

test('Prometheus reads both servers under load; every metric of the alerts and the dashboard exists; an alert is sent', {
  skip: prometheusMissing() ?? postgresMissing() ?? false,
}, async (t) => {
  await using ending = new AsyncDisposableStack();
  const folder = newFolder(t);
  const postgres = ending.use(await startPostgres());
  const databaseUrl = await newDatabase(postgres.url);
  const settings = { ...readSettings({ SVC_METRICS_PORT: '0' }), databaseUrl };
  const platform = ending.use(await openPlatform({ settings }));
  const observe = readObserveSettings({ SVC_METRICS_PORT: '0' }, []);
  const web = ending.use(await startWeb({ apiUrl: platform.baseUrl, port: 0, observe }));
  const alertmanager = ending.use(await receiveAlerts());
  const prometheus = ending.use(
    await startPrometheus(join(folder, 'prometheus'), {
      platform: platform.running.metricsUrl ?? assert.fail(),
      store: web.metricsUrl ?? assert.fail(),
      alertmanager: alertmanager.origin,
    }),
  );
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Game' } });
  const published = await publishBuild(client, game.id, '1', { 'index.html': 'x'.repeat(3000) });
  const play = published.game.play_url ?? assert.fail();
  await assert.rejects(platform.clientWith('svc_unknown').call('me', {}), {
    code: 'unauthenticated',
  });
  await load(async (turn) => {
    if (turn % 6 === 0) assert.equal((await fetch(`${web.origin}/games/${game.slug}`)).status, 200);
    else assert.equal((await (await fetch(play, { headers: PLAIN })).text()).length, 3000);
  });
  const plays = `sum(svc_http_request_duration_seconds_count{job="svc-platform",route="/play/*",status="200"})`;
  await untilValue(prometheus, plays, (PLAYS * 5) / 6);
  await untilValue(prometheus, 'svc_played_bytes_total', (PLAYS * 5 * 3000) / 6);
  const pages = `svc_http_request_duration_seconds_count{job="svc-web",route="/games/:slug",status="200"}`;
  await untilValue(prometheus, pages, PLAYS / 6);
  await untilValue(prometheus, 'sum(up{job=~"svc-.*"})', 2);

  const names = new Set(await prometheus.names());
  const expressions = [...readExpressions(), ...readRules().map(({ expr }) => expr)];
  const wanted = new Set(expressions.flatMap(metricsIn));
  assert.ok(wanted.size > 25, [...wanted].join(' '));
  // What counts only what has not happened here has no samples yet.
  const quiet = [
    ...['svc_rate_limited_total', 'svc_http_responses_cut_off_total'],
    'svc_last_backup_timestamp_seconds',
  ];
  const described = await describedBy(platform.running.metricsUrl ?? '');
  for (const name of wanted) {
    assert.ok(names.has(name) || (quiet.includes(name) && described.has(name)), name);
  }
  for (const expression of expressions) await prometheus.query(expression);
  promtool(['check', 'metrics'], { input: await ownMetrics(platform.running.metricsUrl ?? '') });
  promtool(['check', 'metrics'], { input: await ownMetrics(web.metricsUrl ?? '') });
  // Nothing was wrong under load. On a busy machine, requests may be slow and the event loop late.
  const firing = (await prometheus.alerts()).map(({ labels }) => labels['alertname'] ?? '');
  assert.deepEqual(
    firing.filter(
      (name) => !/^Svc(?:Slow|EventLoopLags|DatabasePoolIsFull|SpoolIsAlmostFull)$/.test(name),
    ),
    [],
  );

  await platform.running.close();
  const down = await until(
    async () => alertmanager.received().find(({ labels }) => labels['alertname'] === 'SvcDown'),
    (alert) => alert !== undefined,
    'the alert is sent',
    30_000,
  );
  assert.equal(down?.labels['severity'], 'critical');
  assert.match(
    down?.annotations['summary'] ?? '',
    /^svc-platform on 127\.0\.0\.1:\d+ does not answer$/,
  );
});

/** An alert as Prometheus sends it. */
type SentAlert = Pick<Alert, 'labels' | 'annotations'>;

/** Receives alerts in place of Alertmanager. */
async function receiveAlerts(): Promise<
  AsyncDisposable & { readonly origin: string; received(): readonly SentAlert[] }
> {
  const received: SentAlert[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'POST' && request.url === '/api/v2/alerts') {
      received.push(...((await json(request)) as SentAlert[]));
      response.end();
    } else response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Does all turns, some at a time. */
async function load(work: (turn: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < PLAYS) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

function untilValue(prometheus: Prometheus, expression: string, value: number) {
  return until(
    async () => Number((await prometheus.query(expression))[0]?.value[1]),
    (read) => read === value,
    `${expression} is ${value}`,
    30_000,
  );
}

/** The names that are described, also without samples. */
async function describedBy(url: string): Promise<ReadonlySet<string>> {
  const text = await (await fetch(url)).text();
  return new Set([...text.matchAll(/^# HELP (\w+) /gm)].map(([, name = '']) => name));
}

/** The metrics of the server, without those of Node, whose names are not ours. */
async function ownMetrics(url: string): Promise<string> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => /^(?:# (?:HELP|TYPE) )?svc_/.test(line));
  assert.ok(lines.length > 20);
  return `${lines.join('\n')}\n`;
}
