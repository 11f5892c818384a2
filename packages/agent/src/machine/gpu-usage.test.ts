// Folders in the form of /proc/PID stand for processes, because no graphics card is needed for them.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { GpuUsage } from './gpu-usage.ts';

function startProcess(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-drm-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['fd', 'fdinfo']) mkdirSync(join(folder, name));
  const usage = new GpuUsage(folder);
  return {
    open: (fd: number, path: string) => symlinkSync(path, join(folder, 'fd', `${fd}`)),
    report: (fd: number, ...lines: readonly string[]) =>
      writeFileSync(join(folder, 'fdinfo', `${fd}`), `pos:\t0\n${lines.join('\n')}\n`),
    close: (fd: number) => {
      for (const name of ['fd', 'fdinfo']) rmSync(join(folder, name, `${fd}`));
    },
    read: (t: number) =>
      Object.fromEntries(
        usage.read(t, t + 500).map(({ name, value, unit }) => [name, `${value} ${unit}`]),
      ),
  };
}

const CARD = (id: number, ...lines: readonly string[]): string[] => [
  'drm-driver:\ti915',
  `drm-client-id:\t${id}`,
  'drm-pdev:\t0000:00:02.0',
  ...lines,
];

test('GpuUsage: the part of the time that an engine worked, and the memory', (t) => {
  const { open, report, read } = startProcess(t);
  open(3, '/dev/dri/renderD128');
  open(4, '/tmp/other');
  report(3, ...CARD(1, 'drm-engine-render: 1000000000 ns', 'drm-resident-vram0: 4 MiB'));
  report(4, ...CARD(9, 'drm-engine-render: 5 ns'));
  assert.deepEqual(read(0), { 'GPU memory vram0': '4194304 bytes' });
  report(3, ...CARD(1, 'drm-engine-render: 1250000000 ns', 'drm-resident-vram0: 5 MiB'));
  assert.deepEqual(read(1000), { 'GPU render': '25 %', 'GPU memory vram0': '5242880 bytes' });
});

test('GpuUsage: copies of a descriptor count once, and clients of a card add up', (t) => {
  const { open, report, read } = startProcess(t);
  for (const fd of [3, 4, 5]) open(fd, '/dev/dri/renderD128');
  const at = (first: number, second: number): void => {
    for (const fd of [3, 4]) report(fd, ...CARD(1, `drm-engine-render: ${first} ns`));
    report(5, ...CARD(2, `drm-engine-render: ${second} ns`, 'drm-total-vram0: 1 MiB'));
  };
  at(0, 0);
  assert.deepEqual(read(0), { 'GPU memory vram0': '1048576 bytes' });
  at(2e8, 1e8);
  assert.equal(read(1000)['GPU render'], '30 %');
});

test('GpuUsage: engines of one kind share their capacity, and cycles count by their total', (t) => {
  const { open, report, read } = startProcess(t);
  open(3, '/dev/dri/card0');
  open(4, '/dev/dri/card1');
  const at = (ns: number, cycles: number, total: number): void => {
    report(3, ...CARD(1, `drm-engine-video: ${ns} ns`, 'drm-engine-capacity-video: 2'));
    report(
      4,
      'drm-driver: xe',
      'drm-client-id: 1',
      `drm-cycles-rcs: ${cycles}`,
      `drm-total-cycles-rcs: ${total}`,
    );
  };
  at(0, 0, 500);
  read(0);
  at(1e9, 30, 600);
  assert.deepEqual(read(1000), { 'GPU video': '50 %', 'GPU 2 rcs': '30 %' });
});

test('GpuUsage: a device that is opened later is found, and a closed one is not read', (t) => {
  const { open, close, report, read } = startProcess(t);
  assert.deepEqual(read(0), {});
  open(3, '/dev/dri/renderD128');
  report(3, ...CARD(1, 'drm-engine-render: 0 ns', 'drm-total-vram0: 1 MiB'));
  for (let second = 1; second < 10; second++) assert.deepEqual(read(second * 1000), {});
  assert.deepEqual(read(10_000), { 'GPU memory vram0': '1048576 bytes' });
  close(3);
  assert.deepEqual(read(11_000), {});
});

test('GpuUsage: a counter that falls or jumps stays between 0 and 100 percent', (t) => {
  const { open, report, read } = startProcess(t);
  open(3, '/dev/dri/renderD128');
  const values = [5e9, 1e9, 9e9];
  const seen = values.map((ns, second) => {
    report(3, ...CARD(1, `drm-engine-render: ${ns} ns`));
    return read(second * 1000)['GPU render'];
  });
  assert.deepEqual(seen, [undefined, '0 %', '100 %']);
  assert.deepEqual(read(2000), {}, 'no time has passed');
});
