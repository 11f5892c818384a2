// `svc trace symbolicate` with a folder and a ZIP of maps, with profiles and traces.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { packToFile } from '@svc/game-build';
import { Errors } from 'typebox/value';
import { DOCUMENTS } from '../src/documents.ts';
import { runHere } from './run-here.ts';
import { temporaryFolder } from './svc.ts';

const SCRIPT = 'function t(){}\n//# sourceMappingURL=main.js.map\n';
const MAP = JSON.stringify({
  version: 3,
  sources: ['../../src/level.ts'],
  sourcesContent: ['\n\nfunction loadLevel() {}\n'],
  names: [],
  // Column 9 is line 3, column 10 of the source.
  mappings: 'SAES',
});
const frame = (id: number, functionName: string, url: string, parent?: number): object => ({
  id,
  ...(parent !== undefined && { parent }),
  callFrame: { functionName, url, lineNumber: url === '' ? -1 : 0, columnNumber: 10 },
});
const PROFILE = JSON.stringify({
  nodes: [
    frame(1, '(root)', ''),
    frame(2, 't', 'http://127.0.0.1/play/main.js', 1),
    frame(3, 'v', 'http://127.0.0.1/play/vendor.js', 2),
  ],
  startTime: 0,
  endTime: 90_000,
  samples: [2, 3],
  timeDeltas: [1000, 80_000],
});

/** A folder with a profile, and the build in `dist`. */
function gameFolder(t: TestContext): string {
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist/js'), { recursive: true });
  writeFileSync(join(cwd, 'dist/index.html'), '<script src="js/main.js"></script>');
  writeFileSync(join(cwd, 'dist/js/main.js'), SCRIPT);
  writeFileSync(join(cwd, 'dist/js/main.js.map'), MAP);
  writeFileSync(join(cwd, 'a.cpuprofile'), PROFILE);
  return cwd;
}

const symbolicate = (t: TestContext, cwd: string, ...args: string[]) =>
  runHere(t, ['trace', 'symbolicate', ...args], { cwd });

test('a profile is converted, and its functions have the names of the source', async (t) => {
  const cwd = gameFolder(t);
  const { code, stdout, stderr } = await symbolicate(t, cwd, 'a.cpuprofile', '--maps', 'dist');
  assert.equal(code, 0, stderr);
  assert.equal(
    stdout,
    `Resolved 1 of 2 functions from 1 source map.

No source map was found for:
  http://127.0.0.1/play/vendor.js  1 function
Build the game with source maps, and name the folder of that build with --maps. Scripts of libraries without a map keep their names.

Wrote a.symbolicated.vpt. Run: svc trace hitches a.symbolicated.vpt
`,
  );
  const trace = readFileSync(join(cwd, 'a.symbolicated.vpt'), 'utf8');
  assert.match(trace, /"names":\["loadLevel level\.ts:3","v vendor\.js:1:11"\]/);
  assert.match(trace, /"places":\["src\/level\.ts:3:10","http:/);
  const info = await runHere(t, ['trace', 'check', 'a.symbolicated.vpt'], { cwd });
  assert.equal(info.code, 0);
});

test('the ZIP of a build gives the same trace, and --json describes it', async (t) => {
  const cwd = gameFolder(t);
  await packToFile(join(cwd, 'dist'), join(cwd, 'game.zip'));
  const args = ['a.cpuprofile', '--json', '-o'];
  const zipped = await symbolicate(t, cwd, '--maps', 'game.zip', ...args, 'zip.vpt');
  assert.equal(zipped.code, 0, zipped.stderr);
  const document = JSON.parse(zipped.stdout);
  assert.deepEqual([...Errors(DOCUMENTS['trace-symbolicate'], document)], []);
  const { out, functions, resolved, maps, scripts, warnings } = document;
  assert.deepEqual([out, functions, resolved, maps], ['zip.vpt', 2, 1, ['js/main.js.map']]);
  assert.deepEqual(
    scripts.map(({ map }: { map: string | null }) => map),
    [null, 'js/main.js.map'],
  );
  assert.deepEqual(warnings, []);
  await symbolicate(t, cwd, '--maps', 'dist', ...args, 'folder.vpt');
  assert.deepEqual(readFileSync(join(cwd, 'zip.vpt')), readFileSync(join(cwd, 'folder.vpt')));
});

test('a .vpt trace keeps its other lines, also if it is torn, and its long tasks get the names', async (t) => {
  const cwd = gameFolder(t);
  const task =
    '{"type":"longtask","t":0,"duration_ms":80,"scripts":[{"name":"t main.js:1:11","duration_ms":70}]}';
  const text = `{"vpt":1,"producer":{"name":"x","version":"1"},"started_at":null,"sources":["import"],"k":1}
{"type":"new_kind","t":0, "x":[ 1 ]}
${task}
{"type":"mark","t":0,"na`;
  writeFileSync(join(cwd, 'b.vpt'), text);
  const { code, stdout } = await symbolicate(t, cwd, 'b.vpt', '--maps', 'dist', '-o', '-');
  assert.equal(code, 0);
  assert.equal(stdout, text.replace('t main.js:1:11', 'loadLevel level.ts:3'));
});

test('a function of a long task and of the stacks is counted once', async (t) => {
  const cwd = gameFolder(t);
  const records = [
    { vpt: 1, producer: { name: 'x', version: '1' }, started_at: null, sources: ['import'] },
    {
      type: 'longtask',
      t: 0,
      duration_ms: 80,
      scripts: [{ name: 't main.js:1:11', duration_ms: 70 }],
    },
    {
      type: 'stacks',
      t: 0,
      first_name: 0,
      names: ['t main.js:1:11'],
      places: ['http://127.0.0.1/play/main.js:1:11'],
      first_node: 0,
      parents: [-1],
      node_names: [0],
      samples: { node: [0], weight: [1] },
      unit: 'ms',
    },
  ];
  writeFileSync(join(cwd, 'd.vpt'), records.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const { stdout } = await symbolicate(t, cwd, 'd.vpt', '--maps', 'dist');
  assert.match(stdout, /^Resolved 1 of 1 function from 1 source map\.\n\nWrote /);
});

test('a folded file and a trace without scripts have no functions to resolve', async (t) => {
  const cwd = gameFolder(t);
  writeFileSync(join(cwd, 'c.folded'), 'main;work 5\n');
  const { code, stdout } = await symbolicate(t, cwd, 'c.folded', '--maps', 'dist');
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^The trace has no functions of scripts\..*\nWrote c\.symbolicated\.vpt\.\n$/,
  );
});

test('a damaged map is reported by its name, and the trace is written', async (t) => {
  const cwd = gameFolder(t);
  writeFileSync(join(cwd, 'dist/js/main.js.map'), '{');
  const { code, stdout, stderr } = await symbolicate(t, cwd, 'a.cpuprofile', '--maps', 'dist');
  assert.equal(code, 0);
  assert.match(stdout, /^Resolved 0 of 2 functions\.\n/);
  assert.match(stderr, /Cannot use js\/main\.js\.map: it is not valid JSON\./);
});

test('a profile that ends in the middle is written as far as it goes, with a warning', async (t) => {
  const cwd = gameFolder(t);
  writeFileSync(join(cwd, 'a.cpuprofile'), PROFILE.slice(0, -1));
  const { code, stderr } = await symbolicate(t, cwd, 'a.cpuprofile', '--maps', 'dist');
  assert.equal(code, 0);
  assert.match(stderr, /The file ends in the middle/);
});

test('wrong usage, unreadable maps and an existing output leave no file', async (t) => {
  const cwd = gameFolder(t);
  writeFileSync(join(cwd, 'a.symbolicated.vpt'), 'mine');
  writeFileSync(join(cwd, 'x.zip'), 'not a ZIP');
  writeFileSync(join(cwd, 'bad.vpt'), 'x');
  const before = readdirSync(cwd);
  for (const [args, code, message] of [
    [['a.cpuprofile'], 2, /--maps/],
    [['-', '--maps', 'dist'], 2, /Standard input has no name\. Add -o OUT/],
    [['a.cpuprofile', '--maps', 'dist', '-o', '-', '--json'], 2, /--json needs an output file/],
    [['a.cpuprofile', '--maps', 'dist'], 1, /"a\.symbolicated\.vpt" exists/],
    [['a.cpuprofile', '--maps', 'none', '-o', 'o.vpt'], 1, /Cannot read "none": it does not exist/],
    [['a.cpuprofile', '--maps', 'x.zip', '-o', 'o.vpt'], 1, /not the ZIP of a build/],
    [['none.vpt', '--maps', 'dist', '-o', 'o.vpt'], 1, /the file does not exist/],
    [['bad.vpt', '--maps', 'dist', '-o', 'o.vpt'], 1, /not_a_trace|not a JSON object/],
  ] as const) {
    const run = await symbolicate(t, cwd, ...args);
    assert.equal(run.code, code, run.stderr);
    assert.match(run.stderr, message);
  }
  assert.deepEqual(readdirSync(cwd), before);
  assert.equal(readFileSync(join(cwd, 'a.symbolicated.vpt'), 'utf8'), 'mine');
});
