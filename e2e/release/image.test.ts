// The guide's Containerfile: what the image says, and that it has the same bytes each time. `image.long.test.ts` runs it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERSION } from '../../packages/cli/src/process/version.ts';
import { buildahMissing, openImages } from './build-image.ts';

test('the image has a user without privileges, volumes, labels and the command, and the same id when it is built again', {
  skip: buildahMissing() ?? false,
}, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-archive-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/svc-platform'), '#!/bin/sh\n', { mode: 0o755 });
  const archive = join(folder, 'servers.tar.gz');
  assert.equal(spawnSync('tar', ['-czf', archive, '-C', folder, 'bin']).status, 0);
  using images = openImages();
  images.build(archive, 'scratch');
  const { Labels: labels, ...config } = images.config();
  assert.deepEqual(config, {
    User: '10001:10001',
    Env: [
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'SVC_DATA_DIR=/data',
    ],
    Cmd: ['svc-platform', '--host', '0.0.0.0', '--port', '8787'],
    Volumes: { '/data': {}, '/spool': {} },
    ExposedPorts: { '8787/tcp': {}, '8788/tcp': {} },
    WorkingDir: '/data',
    StopSignal: 'SIGTERM',
  });
  assert.equal(labels['org.opencontainers.image.version'], VERSION);
  assert.equal(labels['org.opencontainers.image.title'], 'svc-server');
  const root = images.mount();
  assert.ok(statSync(join(root, 'usr/bin/svc-platform')).isFile());
  for (const volume of ['data', 'spool']) assert.equal(statSync(join(root, volume)).uid, 10_001);
  const first = images.id();
  images.build(archive, 'scratch');
  assert.equal(images.id(), first);
});
