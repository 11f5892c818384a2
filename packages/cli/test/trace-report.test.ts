// `svc trace report`: the answer in text, JSON and Markdown, and the page with the trace in it.
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { traceFromText } from '@svc/trace/testing';
import { Errors } from 'typebox/value';
import { DOCUMENTS } from '../src/documents.ts';
import { runHere } from './run-here.ts';
import { runSvc, temporaryFolder } from './svc.ts';

const GAME = traceFromText(`browser
  0 frames 10*50 80 10*50 40 10 main_ms=${Array.from({ length: 103 }, (_, at) => (at === 50 ? 70 : 5)).join(',')}
  500 stacks main_[M];update_[S] 9000@0 | main_[M];load_[S] 1000@20
  500 stacks main_[M];load_[S];texImage2D 40000@30
  505 asset 1 rock.png texture upload main_thread_ms=60 gpu_bytes=4194304
  490 span 100 level_2 loading
  0 counter js_heap_bytes bytes 1048576*30
  1500 end off
`);
const NATIVE = traceFromText(`native
  1000 process cpu=10 rss=1048576
  2000 process cpu=180 rss=1048576
  3000 process cpu=20 rss=5242880
`);
const EMPTY = traceFromText('browser\n');
const FILES = {
  ...{ 'game.vpt': GAME, 'native.vpt': NATIVE, 'empty.vpt': EMPTY },
  'a.folded': 'main;hot 3\nmain;c<b>|x` 1\n',
  'errors.vpt': traceFromText(`browser
    0 frames 10*20
    5 log error Cannot read x
    6 log error The game drew nothing.
    7 log error Third
    8 log warn Not an error
  `),
};

async function open(t: TestContext) {
  const cwd = temporaryFolder(t);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
  const run = (...args: string[]) => runHere(t, ['trace', 'report', ...args], { cwd });
  const text = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    return stdout;
  };
  const document = async (...args: string[]) => {
    const { code, stdout } = await run(...args, '--json');
    const parsed = JSON.parse(stdout);
    assert.equal(code, 0, args.join(' '));
    assert.deepEqual([...Errors(DOCUMENTS['trace-report'], parsed)], [], args.join(' '));
    return parsed;
  };
  return { cwd, run, text, document };
}

/** The trace in a page, expanded. */
function embedded(html: string): string {
  const [, data = ''] =
    /<script type="application\/vnd\.svc\.trace"[^>]*>([^<]*)<\/script>/.exec(html) ?? [];
  return gunzipSync(Buffer.from(data, 'base64')).toString();
}

test('svc trace report answers first, then lists causes, moments, pacing, memory, assets, functions and gaps', async (t) => {
  const { text } = await open(t);
  assert.equal(
    await text('game.vpt'),
    `Main thread bound: 1 of 2 hitches (73 % of the time over budget) is caused by uploading rock.png during “level_2”.

103 frames, 91 fps on average, 1 % low 17 fps. The longest took 80 ms, at 0:00.5.

What caused the hitches
SHARE  HITCHES  LONGEST  CAUSE
 73 %        1  hitch:1  uploading rock.png during “level_2”
 27 %        1  hitch:2  waiting while the main thread was idle

Worst moments
MOMENT      TIME  DURATION  BOUND BY  CAUSES
hitch:1  0.500 s   80.0 ms  loading   uploading rock.png took 60 ms, work that the trace does not show took 10 ms
hitch:2  1.080 s   40.0 ms  unknown   the main thread was idle for 35 ms

Frame pacing
SOURCE   FRAMES   FPS  1 % LOW      P95  LONGEST  IN BUDGET
browser     103  91.2     16.7  10.0 ms  80.0 ms       98 %

The budget is 16.7 ms. 0 frames took up to 2 budgets, 2 took longer.

Memory
- JS heap is 1.0 MiB at most. The trace is too short for a trend.

Costliest assets, of 1
SHARE    HITCH   MAIN      GPU  ASSET
100 %  63.3 ms  60 ms  4.0 MiB  rock.png

Hottest functions
SELF %   SELF  FUNCTION
  82 %  41 ms  load
  18 %   9 ms  update

What is missing
- The time of the GPU in each frame is not recorded. Browsers measure it only where WebGL or WebGPU offers timer queries, as Chromium on most desktops does.

Use svc trace moments FILE --at hitch:1 for all about one moment.
Use svc trace top FILE to list more functions.
Use -o report.html for a page with every chart and the trace in it.
`,
  );
});

test('svc trace report judges a process, folded stacks, errors and an empty trace by what they have', async (t) => {
  const { text } = await open(t);
  assert.equal(
    await text('native.vpt'),
    `CPU use reaches a full core: 180 % or more in 5 % of the samples.

CPU 70 % of one core on average, 95th percentile 180 %, at most 180 %.

Worst moments
MOMENT       TIME      CPU      RSS      RISE
cpu:1     1.000 s  180.0 %  1.0 MiB       0 B
cpu:2     2.000 s   20.0 %  5.0 MiB  +4.0 MiB
cpu:3     0.000 s   10.0 %  1.0 MiB         ?
memory:1  2.000 s   20.0 %  5.0 MiB  +4.0 MiB

Memory
- RSS is 5.0 MiB at most. The trace is too short for a trend.

What is missing
- The trace has no end: the recording still runs, or its recorder was killed. Everything until then is shown. End the session or stop the recording to get a complete trace.
- PSS, the share of memory without what other programs share, is not recorded. The agent must be allowed to read it: run svc dashboard as the user that runs the game.
- The functions of the program are not recorded. Record with svc dashboard --pid PID --probes stacks.
- The files that the program reads are not recorded. Record with svc dashboard --pid PID --probes files.
- Frames are not recorded, so hitches are not known. Record with svc dashboard --pid PID --probes frames. A browser game records them with svc record or the collector.

Use svc trace moments FILE --at cpu:1 for all about one moment.
Use -o report.html for a page with every chart and the trace in it.
`,
  );
  assert.equal(
    await text('a.folded'),
    `hot itself has 75 % of all samples.

Hottest functions
SELF %     SELF  FUNCTION
  75 %  3 count  hot
  25 %  1 count  c<b>|x\`

Use svc trace top FILE to list more functions.
Use -o report.html for a page with every chart and the trace in it.
`,
  );
  assert.equal(
    await text('errors.vpt'),
    `Cannot read x. The game drew nothing. 1 more error.

20 frames, 100 fps on average, 1 % low 100 fps.

Frame pacing
SOURCE   FRAMES    FPS  1 % LOW      P95  LONGEST  IN BUDGET
browser      20  100.0    100.0  10.0 ms  10.0 ms      100 %

The budget is 16.7 ms. All frames keep it.

What is missing
- The trace has no end: the recording still runs, or its recorder was killed. Everything until then is shown. End the session or stop the recording to get a complete trace.
- The functions that ran are not recorded. Record the game with svc record, or record a performance trace in Chrome DevTools.
- The time of the main thread in each frame is not recorded. svc record measures it. Without it, many hitches have no known cause.
- No asset is recorded. The collector records loads, decodes and uploads. Start it before the game loads its assets.
- The time of the GPU in each frame is not recorded. Browsers measure it only where WebGL or WebGPU offers timer queries, as Chromium on most desktops does.
- Memory is not recorded. Chromium reports the JS heap of a page; other browsers do not.

Use -o report.html for a page with every chart and the trace in it.
`,
  );
  assert.equal(
    await text('empty.vpt'),
    `The trace has no frames, samples or assets.

Use -o report.html for a page with every chart and the trace in it.
`,
  );
});

test('svc trace report lists five causes, and counts the others and the hitches that are not explained', async (t) => {
  const { cwd, text, document } = await open(t);
  const works = [
    'texture upload',
    'texture decode',
    'mesh upload',
    'audio decode',
    'shader compile',
    'font decode',
    'data load',
  ];
  const frames = works.map((_, at) => 60 - at);
  const many = (rest: number): string =>
    traceFromText(`browser
      0 frames ${frames.join(' ')}${rest === 0 ? '' : ` 20*${rest}`} 5
      ${works.map((work, at) => `${frames.slice(0, at).reduce((sum, one) => sum + one, 0) + 1} asset ${at} a${at} ${work} main_thread_ms=30`).join('\n')}
    `);
  writeFileSync(join(cwd, 'many.vpt'), many(0));
  const shown = await text('many.vpt');
  assert.match(
    shown,
    /\n 14 % +1 +hitch:5 +compiling a4\n\n2 more hitches with 2 other causes\.\n\n/,
  );
  assert.doesNotMatch(shown, /are explained/);
  assert.match(shown, /\nhitch:5 .*\n\nFrame/);
  assert.equal((await document('many.vpt')).causes.length, 7);
  writeFileSync(join(cwd, 'many.vpt'), many(93));
  assert.doesNotMatch(await text('many.vpt'), /are explained/);
  writeFileSync(join(cwd, 'many.vpt'), many(94));
  assert.match(await text('many.vpt'), /\nOnly the 100 longest hitches are explained\.\n/);
  const { hitches, explained, causes } = await document('many.vpt');
  assert.deepEqual([hitches, explained], [101, 100]);
  // The longest hitch of a group has its number in the list of all.
  assert.ok(causes.some(({ longest }: { longest: string }) => longest === 'hitch:8'));
});

test('svc trace report --json has the verdict, and the names of moments that --at takes', async (t) => {
  const { cwd, document } = await open(t);
  const report = await document('game.vpt');
  assert.match(report.verdict.headline, /^Main thread bound: 1 of 2 hitches/);
  assert.deepEqual(
    [report.frames, report.hitches, report.explained, report.duration_ms],
    [103, 2, 2, 29_000],
  );
  assert.deepEqual(report.causes[0], {
    ...{ cause: 'uploading rock.png', kind: 'asset', name: 'rock.png' },
    ...{
      situation: 'during “level_2”',
      hitches: 1,
      over_ms: 63.333,
      share: 0.731,
      longest: 'hitch:1',
    },
  });
  const listed = await runHere(t, ['trace', 'moments', 'game.vpt', '--json'], { cwd });
  assert.deepEqual(report.moments, JSON.parse(listed.stdout).moments);
  assert.deepEqual(report.pacing, [
    {
      ...{ source: 'browser', frames: 103, average_fps: 91.15, low_1_percent_fps: 16.667 },
      ...{ p95_ms: 10, max_ms: 80, within_budget: 101, up_to_2_budgets: 0, longer: 2 },
    },
  ]);
  assert.deepEqual([report.cpu, report.page, report.asset_count], [null, null, 1]);
  assert.deepEqual(report.functions[0].functions[0], {
    name: 'load',
    category: 'js',
    self: 41,
    share: 0.82,
  });
  const process = await document('native.vpt');
  assert.deepEqual(
    [process.moments_of, process.moments[0].name, process.frames],
    ['process', 'cpu:1', 0],
  );
  assert.deepEqual(process.cpu, { mean_percent: 70, p95_percent: 180, max_percent: 180 });
  assert.equal(process.memory[0].bytes_per_minute, null);
  const errors = await document('errors.vpt');
  assert.deepEqual(errors.errors, { count: 3, texts: ['Cannot read x', 'The game drew nothing.'] });
  const nothing = await document('empty.vpt');
  assert.deepEqual(
    [nothing.moments_of, nothing.duration_ms, nothing.moments],
    ['nothing', null, []],
  );
});

test('svc trace report --frame-ms decides which frames are hitches', async (t) => {
  const { text, document } = await open(t);
  assert.match(
    await text('game.vpt', '--frame-ms', '50'),
    /\nThe budget is 50 ms\. 1 frame took up to 2 budgets, 0 took longer\.\n/,
  );
  assert.equal((await document('game.vpt', '--frame-ms', '8')).hitches, 103);
});

test('svc trace report writes Markdown with the verdict in bold, and shows names as they are', async (t) => {
  const { text } = await open(t);
  const game = await text('game.vpt', '--markdown');
  assert.match(game, /^\*\*Main thread bound: .* during “level\\_2”\.\*\*\n\n103 frames/);
  assert.match(game, /\n\*\*Memory\*\*\n\n- JS heap is 1\.0 MiB at most/);
  assert.match(game, /\n\*\*What caused the hitches\*\*\n\n\| SHARE \| HITCHES \|/);
  assert.doesNotMatch(game, /Use /);
  assert.match(
    await text('a.folded', '--markdown'),
    /\n\| 25 % \| 1 count \| c&lt;b&gt;\\\|x\\` \|\n/,
  );
});

test('svc trace report fits into a terminal of 60 columns', async (t) => {
  const { cwd } = await open(t);
  for (const name of Object.keys(FILES)) {
    const stdout = Object.assign(new PassThrough(), { columns: 60 });
    let shown = '';
    stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    await runHere(t, ['trace', 'report', name], { cwd, io: { stdout } });
    const lines = shown.split('\n');
    assert.ok(lines.length > 3, name);
    assert.deepEqual(
      lines.filter((line) => line.length > 60),
      [],
      name,
    );
  }
});

test('svc trace report escapes names that would act on a terminal', async (t) => {
  const { cwd, text } = await open(t);
  writeFileSync(
    join(cwd, 'bad.vpt'),
    GAME.replaceAll(/rock\.png|level_2|texImage2D/g, 'x\\u001b[2J\\ny\\u202ez'),
  );
  for (const args of [['bad.vpt'], ['bad.vpt', '--markdown']]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must not receive these
    assert.doesNotMatch(await text(...args), /[\u001b\u202e]/);
  }
});

test('svc trace report -o writes a page with the trace, and prints the answer, too', async (t) => {
  const { cwd, run, text, document } = await open(t);
  mkdirSync(join(cwd, 'traces'));
  writeFileSync(join(cwd, 'traces', 'game.vpt.gz'), gzipSync(GAME));
  const { code, stdout, stderr } = await run(
    'traces/game.vpt.gz',
    '-o',
    'report.html',
    '--markdown',
  );
  assert.equal(code, 0, stderr);
  assert.equal(stdout, await text('game.vpt', '--markdown'));
  assert.match(stderr, /^Wrote report\.html \(\d+ KiB\)\.\n$/);
  const html = readFileSync(join(cwd, 'report.html'), 'utf8');
  assert.equal(embedded(html), GAME);
  assert.match(html, /<title>game\.vpt\.gz: Main thread bound: .* “level_2”\.<\/title>/);
  assert.match(html, /<noscript><h1>Main thread bound: .*<\/h1><p>103 frames/);
  assert.match(html, /vnd\.svc\.trace" data-name="game\.vpt\.gz">/);
  assert.doesNotMatch(html, new RegExp(`${cwd}|traces/`));
  const { page } = await document('game.vpt', '-o', 'report.html', '--frame-ms', '8.33');
  const written = readFileSync(join(cwd, 'report.html'));
  assert.deepEqual(page, { out: 'report.html', bytes: written.length });
  assert.match(written.toString(), /data-name="game\.vpt" data-fragment="budget=8\.33">/);
  assert.ok(!(await run('game.vpt', '-o', 'report.html')).stdout.includes('report.html'));
  assert.deepEqual(
    readdirSync(cwd).sort(),
    [...Object.keys(FILES), 'report.html', 'traces'].sort(),
  );
});

test('svc trace report reads standard input, and writes the page to standard output', async (t) => {
  const { cwd } = await open(t);
  const input = GAME.slice(0, -20);
  const { code, stdout, stderr } = await runSvc(t, ['trace', 'report', '-', '-o', '-'], {
    cwd,
    input,
  });
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /data-name="standard input">/);
  // A torn trace is embedded as it is.
  assert.equal(embedded(stdout), input);
  assert.ok(stdout.endsWith('</html>\n'));
  const shown = await runSvc(t, ['trace', 'report', '-'], { cwd, input });
  assert.match(shown.stdout, /^Main thread bound: .*\n(?:.*\n)*- The trace has no end/);
});

test('svc trace report refuses a page over its trace or where none can be written, and leaves nothing', async (t) => {
  const { cwd, run } = await open(t);
  linkSync(join(cwd, 'game.vpt'), join(cwd, 'same.html'));
  mkdirSync(join(cwd, 'folder'));
  writeFileSync(join(cwd, 'bad.vpt'), `${GAME.split('\n')[0]}\n{"type":"mark"}\n{}\n`);
  const before = readdirSync(cwd);
  const rows: [args: string[], code: number, text: RegExp][] = [
    [
      ['game.vpt', '-o', 'game.vpt'],
      2,
      /The page would replace the trace "game\.vpt"\.\nName another/,
    ],
    [['game.vpt', '-o', './folder/../game.vpt'], 2, /would replace/],
    [['game.vpt', '-o', 'same.html'], 2, /would replace/],
    [
      ['game.vpt', '-o', 'folder'],
      1,
      /Cannot write "folder": it is a folder\.\nName another file with -o OUT/,
    ],
    [['game.vpt', '-o', 'gone/report.html'], 1, /its folder does not exist/],
    [['game.vpt', '-o', 'a.folded/report.html'], 1, /a part of its path is a file/],
    [
      ['game.vpt', '-o', '/proc/report.html'],
      1,
      /Cannot write "\/proc\/report\.html": [a-z ]+\.\n/,
    ],
    [['gone.vpt', '-o', 'report.html'], 1, /Cannot read "gone\.vpt": the file does not exist/],
    [['bad.vpt', '-o', 'report.html'], 1, /bad\.vpt:2:/],
    [['game.vpt', '--json', '--markdown'], 2, /Use --json or --markdown, not both/],
    [['game.vpt', '-o', '-', '--json'], 2, /Write the page to a file/],
    [['game.vpt', '-o', '-', '--markdown'], 2, /Write the page to a file/],
    [['game.vpt', '--frame-ms', '0'], 2, /more than 0/],
  ];
  for (const [args, code, text] of rows) {
    const ended = await run(...args);
    assert.equal(ended.code, code, `${args}: ${ended.stderr}${ended.stdout}`);
    assert.match(ended.stderr, text);
  }
  assert.deepEqual(readdirSync(cwd), before);
  assert.equal(readFileSync(join(cwd, 'game.vpt'), 'utf8'), GAME);
});

test('svc trace report keeps an earlier page and leaves no other file if a signal ends it', async (t) => {
  const { cwd } = await open(t);
  writeFileSync(join(cwd, 'report.html'), 'earlier');
  const before = readdirSync(cwd);
  const handle = await openFile(cwd);
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const seen: string[][] = [];
  // The signal arrives while the page is written. The process would end when it is raised again.
  t.mock.method(prototype, 'writeFile', () => {
    seen.push(readdirSync(cwd));
    for (const listener of listeners) listener('SIGINT');
    return Promise.reject(new Error('the process has ended'));
  });
  await runHere(t, ['trace', 'report', 'game.vpt', '-o', 'report.html'], {
    cwd,
    io: {
      onSignal: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      raise: () => seen.push(readdirSync(cwd)),
    },
  });
  assert.equal(seen[0]?.filter((name) => name.endsWith('.part')).length, 1);
  assert.deepEqual(seen.slice(1), [before]);
  assert.equal(readFileSync(join(cwd, 'report.html'), 'utf8'), 'earlier');
});
