import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MemoryMap, parseMaps } from './memory-map.ts';
import { FrameNames } from './name-frames.ts';
import { PerfMap } from './perf-map.ts';
import type { UserFrame } from './raw-stack.ts';
import { type Frame, NAME_CHARACTERS } from './stack-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-names-'));
after(() => rmSync(folder, { recursive: true }));

const MAPS = `5000-6000 r-xp 00000000 fe:00 123                        /home/kim/games/engine (deleted)
6000-7000 r--p 00000000 fe:00 123                        /home/kim/games/engine
8000-9000 rwxp 00000000 00:00 0 
a000-b000 r-xp 00000000 00:00 0                          [vdso]
`;

function names(): FrameNames {
  const maps = join(folder, 'maps');
  const perf = join(folder, 'perf-9.map');
  writeFileSync(maps, MAPS);
  writeFileSync(perf, '8100 100 JS:*tick /home/kim/game.js:4:18\n');
  const map = new PerfMap([perf], [process.getuid?.() ?? 0]);
  map.refresh();
  map.release();
  return new FrameNames(map, new MemoryMap(maps));
}

const root = (name: string): Frame => ({ name, category: '' });

function frameOf(frame: UserFrame): string {
  const [, { name, category } = { name: '', category: '' }] = names().stack(root('main'), {
    user: [frame],
    kernel: [],
  });
  return `${category}|${name}`;
}

test('parseMaps returns only executable ranges, with file names', () => {
  assert.deepEqual(parseMaps(MAPS), [
    { from: 0x5000, to: 0x6000, kind: 'file', name: 'engine' },
    { from: 0x8000, to: 0x9000, kind: 'code' },
    { from: 0xa000, to: 0xb000, kind: 'file', name: '[vdso]' },
  ]);
});

test('FrameNames distinguishes native, compiled, kernel and unknown frames', () => {
  assert.equal(frameOf({ address: 0x5001, symbol: 'leaf', module: '/home/kim/engine' }), '|leaf');
  assert.equal(frameOf({ address: 0x5001, symbol: null, module: null }), 'unknown|[engine]');
  assert.equal(frameOf({ address: 0x1, symbol: null, module: '/usr/lib/x.so' }), 'unknown|[x.so]');
  assert.equal(frameOf({ address: 0xa001, symbol: null, module: null }), 'kernel|[vdso]');
  assert.equal(frameOf({ address: 0xf000, symbol: null, module: null }), 'unknown|[unknown]');
  assert.equal(frameOf({ address: 0x8001, symbol: null, module: null }), 'jit|[jit]');
  assert.equal(frameOf({ address: 0x8101, symbol: null, module: null }), 'jit|tick game.js:4:18');
});

test('FrameNames: the live map wins over what the collector knows about compiled code', () => {
  const stale = { address: 0x8101, symbol: 'JS:~old old.js:1:1', module: '/tmp/perf-9.map' };
  assert.equal(frameOf(stale), 'jit|tick game.js:4:18');
  assert.equal(frameOf({ ...stale, address: 0x8300 }), 'jit|old old.js:1:1');
});

test('FrameNames: a function is the same frame in every optimization tier', () => {
  const named = (symbol: string) => frameOf({ address: 0, symbol, module: '/tmp/perf-9.map' });
  for (const mark of ['', '~', '^', '*', "+'", "*'"]) {
    assert.equal(named(`JS:${mark}tick a.js:1:1`), 'jit|tick a.js:1:1');
  }
  assert.equal(named('JS:* a.js:1:1'), 'jit|(anonymous) a.js:1:1');
  assert.equal(named('Builtin:JSEntry'), 'jit|Builtin:JSEntry');
});

test('FrameNames.stack: thread, user and kernel frames from the outermost; consecutive equal unknown frames are one', () => {
  const unknown = { address: 0x5001, symbol: null, module: null };
  const frames = names().stack(
    { name: 'render thread', category: 'main' },
    {
      user: [{ address: 0x1, symbol: 'read', module: '/lib/libc.so' }, unknown, unknown],
      kernel: ['vfs_read', null],
    },
  );
  assert.deepEqual(
    frames.map(({ name, category }) => `${name}|${category}`),
    ['render thread|main', '[engine]|unknown', 'read|', '[kernel]|kernel', 'vfs_read|kernel'],
  );
});

test('FrameNames keeps no private path, no control character and no overlong name', () => {
  assert.equal(
    frameOf({ address: 1, symbol: 'load(/home/kim/secret/level.bin)', module: '/lib/x' }),
    '|load(level.bin)',
  );
  assert.equal(
    frameOf({ address: 1, symbol: 'a\u001b[31mb', module: '/lib/x' }),
    '|a\u{fffd}[31mb',
  );
  const long = frameOf({ address: 1, symbol: '😀'.repeat(5_000), module: '/lib/x' });
  assert.ok(long.length <= NAME_CHARACTERS + 1 && long.isWellFormed());
});
