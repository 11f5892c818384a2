// The guide's Compose file: its form, and its services as containers of this machine, each with its address, its volumes and its
// secrets. There is no Docker here, so Debian's programs take the place of the images, and the servers run from source.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { postgresMissing } from '@svc/platform/testing';
import { ROOT } from '../../scripts/workspaces.ts';
import { nginxMissing } from '../cluster/start-nginx.ts';
import { COMPOSE_FILE, COMPOSE_FOLDER, isLasting, readCompose } from './read-compose.ts';
import { containerMissing } from './start-container.ts';
import { prometheusMissing } from './start-prometheus.ts';

const { services, secrets, volumes, networks } = readCompose();
const all = Object.entries(services);
const lasting = all.filter(([, service]) => isLasting(service));

test('Docker Compose accepts the file', {
  skip: existsSync('/usr/bin/docker-compose') ? false : 'docker-compose is not installed',
}, () => {
  const { status, stderr } = spawnSync('docker-compose', ['-f', COMPOSE_FILE, 'config', '-q'], {
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, '']);
});

test('every service has no privileges, a read-only root and an address of its own, and those that last a health check', () => {
  for (const [name, service] of all) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
    assert.match(service.image, /:v?\d/, name);
  }
  for (const [name, service] of lasting) {
    assert.equal(service.healthcheck.test[0], 'CMD', name);
    assert.equal(service.restart, 'unless-stopped', name);
  }
  const addresses = all.map(([, service]) => service.networks.inside.ipv4_address);
  assert.equal(new Set(addresses).size, all.length);
  const [{ subnet }] = networks.inside.ipam.config;
  assert.ok(addresses.every((address) => address.startsWith(subnet.replace('0/24', ''))));
});

test('what the services name is defined in the file, and nothing else is', () => {
  const named = all.flatMap(([, service]) => service.secrets ?? []);
  assert.deepEqual([...new Set(named)].toSorted(), Object.keys(secrets).toSorted());
  const mounted = all.flatMap(([, service]) => service.volumes ?? []);
  const sources = mounted.map((volume) => volume.split(':')[0] ?? '');
  const kept = sources.filter((source) => !/^[./]/.test(source));
  assert.deepEqual([...new Set(kept)].toSorted(), Object.keys(volumes).toSorted());
  for (const file of sources.filter((source) => source.startsWith('.'))) {
    assert.ok(existsSync(join(COMPOSE_FOLDER, file)), file);
  }
});

test('every setting of the servers is one of the documents', () => {
  const documents = ['platform-api.md', 'store.md', 'operations.md', 'identity-providers.md']
    .map((page) => readFileSync(join(ROOT, 'docs', page), 'utf8'))
    .join('\n');
  const servers = all.filter(([, service]) => service.image.startsWith('svc-server:'));
  assert.equal(servers.length, 5);
  for (const [name, { environment = {}, secrets: given = [] }] of servers) {
    for (const setting of [...Object.keys(environment), ...given]) {
      assert.ok(documents.includes(`\`${setting}\``), `${name}: ${setting}`);
    }
  }
});

test('a container has longer to end than its server takes', () => {
  for (const [name, { environment = {}, stop_grace_period: period = '10s' }] of all) {
    const drain = environment['SVC_DRAIN_SECONDS'];
    if (drain !== undefined) assert.ok(Number.parseInt(period, 10) > Number(drain), name);
  }
});

const missing = [postgresMissing, nginxMissing, prometheusMissing, containerMissing]
  .map((one) => one())
  .find((reason) => reason !== null);

test('the services become healthy, a game is published and played through the proxy, the store shows it, and Prometheus reads all processes', {
  skip: missing ?? false,
}, (t) => {
  const program = join(import.meta.dirname, 'compose-program.ts');
  // Its files are removed even if it is killed.
  const folder = mkdtempSync(join(tmpdir(), 'svc-compose-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  // It has a network of its own, and all its processes end with it, and it ends with this one.
  const wrap = ['--net', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child'];
  const end = ['--pdeathsig', 'KILL', 'unshare'];
  const { status, stdout, stderr } = spawnSync(
    'setpriv',
    [...end, ...wrap, process.execPath, program],
    {
      ...{ encoding: 'utf8', timeout: 170_000, killSignal: 'SIGKILL' },
      env: { ...process.env, TMPDIR: folder },
    },
  );
  assert.equal(status, 0, stdout + stderr);
  const { backup, ...seen } = JSON.parse(stdout);
  // The build, its page and the picture, for example.
  assert.match(backup, /^Backed up [2-9] files as /);
  assert.deepEqual(seen, {
    healthy: lasting.map(([name]) => name).toSorted(),
    played: 200,
    playedByHttp2: 200,
    shown: 200,
    redirected: 308,
    scraped: ['10.0.0.11', '10.0.0.12', '10.0.0.21', '10.0.0.22'],
  });
});
