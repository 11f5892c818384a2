// `svc trace blame`: the costliest change first, joined by name and by the contents of the builds.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { checkBuild, packToFile } from '@svc/game-build';
import { Parse } from 'typebox/value';
import { DOCUMENTS } from '../src/documents.ts';
import { runSvc, temporaryFolder } from './svc.ts';

type Asset = {
  readonly name: string;
  readonly kind?: string;
  readonly ms: number;
  readonly bytes?: number;
};

/** A browser trace of some seconds at 60 Hz. Asset number i works in second i; its frame takes its time and 10 ms more. */
function traceOf(assets: readonly Asset[], seconds = 10): string {
  const frame = 1000 / 60;
  const lines: object[] = [
    { vpt: 1, producer: { name: 't', version: '1' }, started_at: null, sources: ['browser'] },
  ];
  let t = 0;
  for (let second = 0; second < seconds; second++) {
    const { ms = 0 } = assets[second] ?? {};
    const durations = Array.from({ length: 60 }, (_, i) =>
      i === 0 ? Math.max(frame, ms + 10) : frame,
    );
    lines.push({ type: 'frames', t: rounded(t), duration_ms: durations.map(rounded) });
    const asset = assets[second];
    if (asset !== undefined) {
      const { name, kind = 'texture', bytes } = asset;
      const phase = kind === 'shader' ? 'compile' : 'upload';
      const size = bytes === undefined ? {} : { bytes, gpu_bytes: 2 * bytes };
      const times = { duration_ms: ms, main_thread_ms: ms };
      lines.push({
        type: 'asset',
        t: rounded(t),
        id: second,
        name,
        kind,
        phase,
        ...times,
        ...size,
      });
    }
    t += durations.reduce((sum, one) => sum + one, 0);
  }
  lines.push({ type: 'end', t: rounded(t), reason: 'stopped' });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

const OLD: readonly Asset[] = [
  { name: 'art/comet.png', ms: 10, bytes: 1_000_000 },
  { name: 'art/nebula.png', ms: 12, bytes: 500_000 },
  { name: 'art/ship-a1b2c3d4.png', ms: 3, bytes: 4_000 },
  { name: 'art/old.png', ms: 30, bytes: 9_000 },
];
const NEW: readonly Asset[] = [
  { name: 'play/x9/art/comet.png', ms: 90, bytes: 5_100_000 },
  { name: 'play/x9/art/nebula.png', ms: 12, bytes: 500_000 },
  { name: 'play/x9/art/ship-d9c8b7a6.png', ms: 3, bytes: 4_000 },
  ...[14, 13, 14].map((ms, i) => ({ name: `shader ${i}`, kind: 'shader', ms })),
];

const fileOf = (content: string, bytes: number): string => content.repeat(bytes);
const OLD_FILES = {
  'index.html': '<p>',
  'art/comet.png': fileOf('a', 1000),
  'art/nebula.png': fileOf('n', 500),
  'art/ship-a1b2c3d4.png': fileOf('s', 70),
};
const NEW_FILES = {
  'index.html': '<p>',
  'art/comet.png': fileOf('b', 9000),
  'art/nebula.png': fileOf('n', 500),
  'art/ship-d9c8b7a6.png': fileOf('t', 70),
  'art/unused.png': 'u',
};

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A folder with two traces, the build of the older one in `old`, and that of the newer one in `new.zip`. */
async function openFolder(t: TestContext): Promise<string> {
  const cwd = temporaryFolder(t);
  writeFiles(cwd, { 'old.vpt': traceOf(OLD), 'new.vpt': traceOf(NEW) });
  writeFiles(join(cwd, 'old'), { ...OLD_FILES, '.env': 'KEY=secret' });
  writeFiles(join(cwd, 'new'), NEW_FILES);
  await packToFile(join(cwd, 'new'), join(cwd, 'new.zip'));
  return cwd;
}

const BUILDS = ['--build-old', 'old', '--build-new', 'new.zip'];

async function blame(t: TestContext, cwd: string, args: readonly string[]) {
  const { code, stdout, stderr } = await runSvc(t, ['trace', 'blame', ...args, '--json'], { cwd });
  assert.equal(code, 0, stderr);
  return Parse(DOCUMENTS['trace-blame'], JSON.parse(stdout));
}

test('svc trace blame names the asset that rose most first, and sums up the new ones', async (t) => {
  const cwd = await openFolder(t);
  const { before, after, builds, assets, groups, left_out, unchanged } = await blame(t, cwd, [
    'old.vpt',
    'new.vpt',
  ]);
  assert.deepEqual(
    assets.map(({ name, state, old_name }) => [name, state, old_name]),
    [
      ['play/x9/art/comet.png', 'kept', null],
      ['shader 0', 'new', null],
      ['shader 2', 'new', null],
      ['shader 1', 'new', null],
      ['art/old.png', 'gone', null],
    ],
  );
  assert.deepEqual([builds, left_out, unchanged], [null, 0, 2]);
  const [comet] = assets;
  assert.deepEqual(
    [comet?.before?.main_thread_ms, comet?.after?.main_thread_ms, comet?.after?.bytes],
    [10, 90, 5_100_000],
  );
  assert.deepEqual([comet?.file_bytes_before, comet?.file_bytes_after], [null, null]);
  assert.ok(comet && comet.cost_change > 5 && comet.cost_change < 10, String(comet?.cost_change));
  assert.deepEqual(
    groups.map(({ state, kind, count, main_thread_ms }) => [state, kind, count, main_thread_ms]),
    [
      ['new', 'shader', 3, 41],
      ['gone', 'texture', 1, 30],
    ],
  );
  assert.deepEqual([before.assets, after.assets, before.frames?.count], [4, 6, 600]);
  assert.ok(after.cost > before.cost);
  assert.ok((after.frames?.over_budget ?? 0) > 0);
});

test('with the builds, svc trace blame reports contents, renamed files and sizes', async (t) => {
  const cwd = await openFolder(t);
  const { assets, builds, unchanged } = await blame(t, cwd, ['old.vpt', 'new.vpt', ...BUILDS]);
  const found = assets.map((one) => [
    one.name,
    one.state,
    one.old_name,
    one.file_bytes_before,
    one.file_bytes_after,
  ]);
  assert.deepEqual(found[0], ['play/x9/art/comet.png', 'changed', null, 1000, 9000]);
  const ship = found.find(([name]) => String(name).includes('ship'));
  assert.deepEqual(ship?.slice(1), ['changed', 'art/ship-a1b2c3d4.png', 70, 70]);
  assert.equal(unchanged, 1, 'the nebula has the same content');
  // The key that the older build contains is gone, too.
  assert.deepEqual([builds?.new, builds?.changed, builds?.gone], [2, 1, 2]);
  const same = await blame(t, cwd, [
    'old.vpt',
    'old.vpt',
    '--build-old',
    'old',
    '--build-new',
    'old',
  ]);
  assert.deepEqual([same.assets, same.unchanged, same.builds?.changed], [[], 4, 0]);
});

test('svc trace blame answers in its first line, and lists as many changes as --limit', async (t) => {
  const cwd = await openFolder(t);
  const run = async (...args: string[]) =>
    (await runSvc(t, ['trace', 'blame', ...args], { cwd })).stdout;
  const worse = await run('old.vpt', 'new.vpt', ...BUILDS);
  assert.match(worse, /^The assets cost \d\.\d\d more \(\d\.\d\d frame budgets before, /);
  assert.match(
    worse,
    /\nplay\/x9\/art\/comet\.png rose most, by \d\.\d\d: \+\d+.* of hitches, \+3\.9 MiB, \+7\.8 MiB on the GPU\./,
  );
  assert.match(worse, /\+7\.8 KiB {2}texture {2}changed {2}play\/x9\/art\/comet\.png\n/);
  assert.match(worse, /\n3 new shaders: cost \+\d\.\d\d, 41 ms on the main thread/);
  assert.match(worse, /\n1 asset costs as much as before\.\n/);
  const better = await run('new.vpt', 'old.vpt', '--limit', '1');
  assert.match(better, /^The assets cost less than before \(/);
  assert.match(better, /\n−\d\.\d\d .* art\/comet\.png\n/);
  assert.match(better, /\n4 smaller changes are not listed\. Use --limit N/);
  assert.match(
    await run('old.vpt', 'old.vpt'),
    /^The assets cost as much as before \(3\.64 frame budgets before, 3\.64 after\)\./,
  );
  writeFileSync(join(cwd, 'long.vpt'), traceOf(OLD, 30));
  assert.match(await run('old.vpt', 'long.vpt'), /last 10 s and 30 s\. Record the same time/);
  writeFileSync(join(cwd, 'none.vpt'), traceOf([]));
  assert.match(await run('none.vpt', 'none.vpt'), /^Neither trace has asset records\./);
});

/** The trace with the digest of a build in its header. */
function withDigest(trace: string, digest: string): string {
  const [header = '', ...records] = trace.split('\n');
  return [JSON.stringify({ ...JSON.parse(header), build: { digest } }), ...records].join('\n');
}

async function digestOf(zip: string): Promise<string> {
  const verdict = await checkBuild(zip, {});
  assert.ok(verdict.accepted);
  return verdict.build.digest;
}

const OTHER_DIGEST = `sha256:${'ab'.repeat(32)}`;

test('svc trace blame states whether both traces are of the same build', async (t) => {
  const cwd = temporaryFolder(t);
  const digest = `sha256:${'01'.repeat(32)}`;
  writeFiles(cwd, {
    'old.vpt': withDigest(traceOf(OLD), digest),
    'again.vpt': withDigest(traceOf(NEW), digest),
    'new.vpt': withDigest(traceOf(NEW), OTHER_DIGEST),
    'unnamed.vpt': traceOf(NEW),
    'bare.vpt': withDigest(traceOf([]), 'x\u202ey\nz'),
  });
  const run = async (...files: string[]) =>
    (await runSvc(t, ['trace', 'blame', ...files], { cwd })).stdout;
  assert.match(
    await run('old.vpt', 'again.vpt'),
    /\nBoth traces are of the same build \(010101010101\)\.\n/,
  );
  assert.match(
    await run('old.vpt', 'new.vpt'),
    /\nThe traces are of different builds \(010101010101 before, abababababab after\)\.\n/,
  );
  assert.match(
    await run('old.vpt', 'unnamed.vpt'),
    /\nThe newer trace does not name its build\.\n/,
  );
  assert.match(await run('unnamed.vpt', 'old.vpt'), /\nThe older trace does not name its build\./);
  assert.doesNotMatch(await run('unnamed.vpt', 'unnamed.vpt'), /build/);
  assert.match(
    await run('bare.vpt', 'bare.vpt'),
    /asset records\..*\nBoth traces are of the same build \(x\\u202ey\\nz\)\.\n$/,
  );
  const { before, after } = await blame(t, cwd, ['old.vpt', 'unnamed.vpt']);
  assert.deepEqual([before.build_digest, after.build_digest], [digest, null]);
});

test('svc trace blame warns of a build that was not recorded, and ends with 0', async (t) => {
  const cwd = await openFolder(t);
  await packToFile(join(cwd, 'old'), join(cwd, 'old.zip'), { allowSecrets: true });
  const [old, now] = [await digestOf(join(cwd, 'old.zip')), await digestOf(join(cwd, 'new.zip'))];
  writeFiles(cwd, {
    'old.vpt': withDigest(traceOf(OLD), old),
    'new.vpt': withDigest(traceOf(NEW), now),
    'other.vpt': withDigest(traceOf(NEW), OTHER_DIGEST),
    // Notes are left out of a build, also by svc record.
    'svc.json': JSON.stringify({ title: 'Stars', ignore: ['*.txt'] }),
    'old/notes.txt': 'draft',
  });
  const run = async (...args: string[]) => {
    const { code, stderr, stdout } = await runSvc(t, ['trace', 'blame', ...args], { cwd });
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout, /warning/);
    return stderr;
  };
  assert.equal(await run('old.vpt', 'new.vpt', ...BUILDS), '');
  const short = (digest: string): string => digest.slice('sha256:'.length).slice(0, 12);
  assert.equal(
    await run('old.vpt', 'other.vpt', ...BUILDS),
    `warning: "other.vpt" was recorded with another build (abababababab) than the one of --build-new (${short(now)}). Contents and sizes of files are those of a build that was not recorded. Name the recorded build with --build-new.\n`,
  );
  const swapped = await run('new.vpt', 'old.vpt', ...BUILDS, '--json');
  assert.equal(
    swapped.match(/^warning: "(?:new|old)\.vpt" was recorded with another/gm)?.length,
    2,
  );
  assert.match(
    swapped,
    new RegExp(`\\(${short(now)}\\) than the one of --build-old \\(${short(old)}\\)`),
  );
});

test('svc trace blame explains what it cannot compare', async (t) => {
  const cwd = await openFolder(t);
  writeFileSync(join(cwd, 'bad.vpt'), '{"vpt":1}\n');
  const rows: [args: string[], code: number, text: RegExp][] = [
    [['old.vpt'], 2, /argument NEW is missing/],
    [['old.vpt', 'gone.vpt'], 1, /"gone\.vpt": the file does not exist/],
    [['old.vpt', 'bad.vpt'], 1, /bad\.vpt:1:/],
    [['old.vpt', 'new.vpt', '--build-old', 'old'], 2, /Name both builds/],
    [['old.vpt', 'new.vpt', '--build-old', 'old', '--build-new', 'gone'], 7, /build "gone"/],
    [['-', '-'], 2, /Only one of the two/],
    [['old.vpt', 'new.vpt', '--limit', '0'], 2, /from 1 to 1000000/],
  ];
  for (const [args, code, text] of rows) {
    const ended = await runSvc(t, ['trace', 'blame', ...args], { cwd });
    assert.equal(ended.code, code, `${args}: ${ended.stderr}`);
    assert.match(ended.stderr, text);
  }
});
