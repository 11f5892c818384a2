// What drivers print, by the documentation of the kernel (drm-usage-stats) and of each driver.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDrmClient } from './parse-drm-client.ts';

const I915 = `pos:	0
flags:	0100002
mnt_id:	27
ino:	423
drm-driver:	i915
drm-client-id:	58
drm-pdev:	0000:00:02.0
drm-total-system0:	142356 KiB
drm-shared-system0:	20 MiB
drm-active-system0:	0
drm-resident-system0:	98304 KiB
drm-purgeable-system0:	1 MiB
drm-total-stolen-system0:	0
drm-engine-render:	25662044495 ns
drm-engine-copy:	0 ns
drm-engine-video:	17 ns
drm-engine-capacity-video:	2
drm-engine-video-enhance:	0 ns
`;

const XE = `drm-driver:	xe
drm-client-id:	7
drm-pdev:	0000:03:00.0
drm-total-vram0:	3 GiB
drm-resident-vram0:	2 GiB
drm-cycles-rcs:	28257900
drm-total-cycles-rcs:	7655183225
drm-cycles-bcs:	0
drm-total-cycles-bcs:	7655183225
drm-cycles-ccs:	12
drm-engine-capacity-ccs:	4
`;

const AMDGPU = `drm-driver:	amdgpu
drm-client-id:	33
drm-pdev:	0000:0a:00.0
pasid:	32771
drm-memory-vram:	123456 KiB
drm-memory-gtt: 	2048 KiB
drm-memory-cpu: 	0 KiB
amd-memory-visible-vram:	0 KiB
drm-engine-gfx:	5511563000 ns
drm-engine-enc:	13000 ns
`;

const PANFROST = `drm-driver:	panfrost
drm-client-id:	3
drm-engine-fragment:	1846584880 ns
drm-cycles-fragment:	1424359409
drm-maxfreq-fragment:	799999987 Hz
drm-total-memory:	290 MiB
`;

test('parseDrmClient: the engines and regions of i915', () => {
  const client = parseDrmClient(I915);
  assert.deepEqual([client?.card, client?.client], ['0000:00:02.0', '58']);
  assert.deepEqual(Object.fromEntries(client?.engines ?? []), {
    render: { busy: 25_662_044_495, total: null, capacity: 1 },
    copy: { busy: 0, total: null, capacity: 1 },
    video: { busy: 17, total: null, capacity: 2 },
    'video-enhance': { busy: 0, total: null, capacity: 1 },
  });
  assert.deepEqual(Object.fromEntries(client?.memory ?? []), {
    system0: 98_304 * 1024,
    'stolen-system0': 0,
  });
});

test('parseDrmClient: xe states cycles, and an engine without its total is left out', () => {
  const client = parseDrmClient(XE);
  assert.deepEqual(Object.fromEntries(client?.engines ?? []), {
    rcs: { busy: 28_257_900, total: 7_655_183_225, capacity: 1 },
    bcs: { busy: 0, total: 7_655_183_225, capacity: 1 },
  });
  assert.deepEqual(Object.fromEntries(client?.memory ?? []), { vram0: 2 * 1024 ** 3 });
});

test('parseDrmClient: amdgpu, and a driver that states the same work as time and as cycles', () => {
  const client = parseDrmClient(AMDGPU);
  assert.deepEqual([...(client?.engines.keys() ?? [])], ['gfx', 'enc']);
  assert.equal(client?.memory.get('vram'), 123_456 * 1024);
  const other = parseDrmClient(PANFROST);
  assert.equal(other?.card, 'panfrost');
  assert.deepEqual(Object.fromEntries(other?.engines ?? []), {
    fragment: { busy: 1_846_584_880, total: null, capacity: 1 },
  });
  assert.deepEqual(Object.fromEntries(other?.memory ?? []), { memory: 290 * 1024 ** 2 });
});

test('parseDrmClient: other descriptors, and hostile text', () => {
  assert.equal(parseDrmClient('pos:	0\nflags:	02\n'), null);
  assert.equal(parseDrmClient('drm-driver:	i915\n'), null);
  assert.equal(parseDrmClient(''), null);
  const head = 'drm-driver: x\ndrm-client-id: 1\n';
  for (const line of [
    'drm-engine-render: -1 ns',
    'drm-engine-render: 1e9 ns',
    'drm-engine-: 5 ns',
    'drm-engine-a b: 5 ns',
    `drm-engine-${'a'.repeat(40)}: 5 ns`,
    'drm-total-vram: 99999999999999999999 KiB',
    'drm-total-vram: 999999999999999 GiB',
    'drm-total-vram: 5 TiB',
  ]) {
    const { engines, memory } = parseDrmClient(head + line) ?? assert.fail();
    assert.equal(engines.size + memory.size, 0, line);
  }
  const many = Array.from({ length: 100 }, (_, i) => `drm-engine-e${i}: 5 ns`).join('\n');
  assert.equal(parseDrmClient(head + many)?.engines.size, 32);
  const twice = `${head}drm-engine-a: 5 ns\ndrm-engine-a: 9 ns`;
  assert.equal(parseDrmClient(twice)?.engines.get('a')?.busy, 5);
});
