// `svc trace note`: lists, adds, changes and removes notes, and leaves all other bytes of the trace alone.
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readVpt } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import { Errors } from 'typebox/value';
import { ROOT } from '../../../scripts/workspaces.ts';
import { DOCUMENTS } from '../src/documents.ts';
import { runHere } from './run-here.ts';
import { runSvc, temporaryFolder } from './svc.ts';

const GOLDEN = join(ROOT, 'packages/trace/fixtures/golden');
const GAME = traceFromText(`browser
  0 frames 10*50 80 10*50 40 10
  2000 end off
`);
const NOTED = traceFromText(`native browser
  0 browser:frames 10*50 80
  900 native:note 1 number
  900 native:note 1 number again
  100 native:note a duration_ms=50 first
  100 native:note gone was here
  100 native:note gone -
  1000 native:end off
`);

function open(t: TestContext, files: Readonly<Record<string, string | Uint8Array>>) {
  const cwd = temporaryFolder(t);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(cwd, name), bytes);
  const run = (...args: string[]) => runHere(t, ['trace', 'note', ...args], { cwd });
  const document = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    const parsed = JSON.parse(stdout);
    assert.deepEqual([...Errors(DOCUMENTS['trace-note'], parsed)], [], args.join(' '));
    return parsed;
  };
  const text = (name: string): string => readFileSync(join(cwd, name), 'utf8');
  return { cwd, run, document, text };
}

/** The text that must be removed from `after` to get `before`. From the beginning of a line, if that is possible. */
function inserted(before: string, after: string): string {
  const length = after.length - before.length;
  assert.ok(length > 0, 'the file did not grow');
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  const fits = (at: number): boolean => after.slice(0, at) + after.slice(at + length) === before;
  assert.ok(fits(same), 'more than an insertion');
  const line = after.lastIndexOf('\n', same - 1) + 1;
  const at = fits(line) ? line : same;
  return after.slice(at, at + length);
}

test('svc trace note lists the notes by time with their ids, and the document has whole texts', async (t) => {
  const { run, document } = open(t, { 'a.vpt': NOTED, 'b.vpt': GAME });
  const { stdout } = await run('a.vpt');
  assert.equal(
    stdout,
    `ID     TIME  LENGTH  NOTE
a   0.100 s   50 ms  first
1   0.900 s          number again
`,
  );
  assert.deepEqual(await document('a.vpt'), {
    notes: [
      { id: 'a', t: 100, duration_ms: 50, text: 'first' },
      { id: 1, t: 900, duration_ms: null, text: 'number again' },
    ],
  });
  assert.deepEqual((await document('b.vpt')).notes, []);
  assert.match((await run('b.vpt')).stdout, /^The trace has no notes\. Add one: svc trace note /);
});

test('svc trace note lists the notes of standard input and of a compressed trace', async (t) => {
  const { cwd, document } = open(t, { 'a.vpt.gz': gzipSync(NOTED) });
  assert.equal((await document('a.vpt.gz')).notes.length, 2);
  const args = ['trace', 'note', '-'];
  const { stdout } = await runHere(t, args, { cwd, input: NOTED });
  assert.match(stdout, /\na +0\.100 s +50 ms +first\n/);
});

test('svc trace note lists all notes, as text and as a document', async (t) => {
  const lines = Array.from({ length: 1002 }, (_, at) => `${at} note n${at} text ${at}`);
  const { run, document } = open(t, { 'a.vpt': traceFromText(`browser\n${lines.join('\n')}`) });
  assert.equal((await document('a.vpt')).notes.length, 1002);
  assert.match((await run('a.vpt')).stdout, /\nn1001 +1\.001 s +text 1001\n$/);
});

test('the list has ids as --id takes them, states if one is too long, and marks titles with more text', async (t) => {
  const noteLine = (id: number | string, text: string): string =>
    `${JSON.stringify({ type: 'note', t: 0, id, text })}\n`;
  const lines = [
    noteLine(1, 'number\n\n'),
    noteLine('1', 'text\nand more'),
    noteLine('"1"', 'quoted'),
  ];
  const { run } = open(t, {
    'a.vpt': traceFromText('browser') + lines.join(''),
    'b.vpt': traceFromText('browser') + noteLine('i'.repeat(40), 'x'),
    'c.vpt': traceFromText('browser') + noteLine('i'.repeat(41), 'x'.repeat(200)),
  });
  const { stdout } = await run('a.vpt');
  assert.equal(
    stdout,
    `ID          TIME  LENGTH  NOTE
1        0.000 s          number
"1"      0.000 s          text …
"\\"1\\""  0.000 s          quoted
`,
  );
  for (const [id, text] of [
    ['1', 'number'],
    ['"1"', 'text'],
    ['"\\"1\\""', 'quoted'],
  ] as const) {
    await run('a.vpt', '--id', id, `${text} changed`);
  }
  assert.match(
    (await run('a.vpt')).stdout,
    /\n1 .* number changed\n"1" .* text changed\n.* quoted changed\n$/,
  );
  assert.doesNotMatch((await run('b.vpt')).stdout, /--json/);
  assert.match(
    (await run('c.vpt')).stdout,
    /x…\n\nAn id is too long to be shown\. Use --json to get it\.\n$/,
  );
});

test('an empty list advises to add a note only where svc writes one', async (t) => {
  const { run, cwd } = open(t, {
    'a.vpt': GAME,
    'a.vpt.gz': gzipSync(GAME),
    'gz.vpt': gzipSync(GAME),
  });
  assert.match((await run('a.vpt')).stdout, /^The trace has no notes\. Add one: svc trace note /);
  for (const name of ['a.vpt.gz', 'gz.vpt', '-']) {
    const { stdout } = await runHere(t, ['trace', 'note', name], { cwd, input: GAME });
    assert.equal(stdout, 'The trace has no notes.\n', name);
  }
});

test('the number of a hitch is that of svc trace moments with the same --frame-ms', async (t) => {
  const { document } = open(t, { 'a.vpt': GAME });
  // With a budget of 9 ms, every frame is a hitch.
  for (const [args, t_ms] of [
    [['--at', 'hitch:2'], 1080],
    [['--at', 'hitch:3', '--frame-ms', '9'], 0],
  ] as const) {
    assert.equal((await document('a.vpt', 'x', ...args)).note.t, t_ms);
  }
});

test('svc trace note writes a note about a time, a range, or a moment before the end of the trace', async (t) => {
  const { document, run, text } = open(t, { 'game.vpt': GAME });
  for (const [args, times] of [
    [
      ['--at', '1.5'],
      [1500, null],
    ],
    [
      ['--at', '0:01.5s', '--for', '0.25'],
      [1500, 250],
    ],
    [
      ['--at', '1', '--to', '0:01.2'],
      [1000, 200],
    ],
    [
      ['--at', '0.5-2'],
      [500, 1500],
    ],
    [
      ['--at', 'hitch:1'],
      [500, 80],
    ],
    [
      ['--at', '2'],
      [2000, null],
    ],
    [
      ['--at', '1', '--for', '0'],
      [1000, null],
    ],
  ] as const) {
    const before = text('game.vpt');
    const { change, note, out, bytes } = await document('game.vpt', 'Boss\n\tfight', ...args);
    assert.deepEqual([change, out], ['added', 'game.vpt']);
    const { id, ...rest } = note;
    assert.match(id, /^[0-9a-f]{8}$/);
    assert.deepEqual(rest, { t: times[0], duration_ms: times[1], text: 'Boss\n\tfight' });
    const after = text('game.vpt');
    assert.equal(Buffer.byteLength(after), bytes);
    const line = inserted(before, after);
    assert.equal(
      line,
      `${JSON.stringify({ type: 'note', t: times[0], id, text: 'Boss\n\tfight', ...(times[1] !== null && { duration_ms: times[1] }) })}\n`,
    );
    assert.equal(readVpt(after).end?.reason, 'off');
  }
  const { stdout, stderr } = await run('game.vpt', 'x', '--at', '1');
  assert.match(stdout, /^Added the note [0-9a-f]{8} at 1\.000 s\.\n$/);
  assert.equal(stderr, '');
});

test('svc trace note changes and removes a note, and keeps what is not named', async (t) => {
  const { document, text } = open(t, { 'a.vpt': NOTED });
  const change = async (...args: string[]) => {
    const before = text('a.vpt');
    const done = await document('a.vpt', ...args);
    inserted(before, text('a.vpt'));
    return done;
  };
  const note = { id: 'a', t: 100, duration_ms: 50, text: 'first' };
  for (const [args, expected] of [
    [['--id', 'a', 'new'], { ...note, text: 'new' }],
    [['--id', 'a', '--for', '0.2'], { ...note, text: 'new', duration_ms: 200 }],
    [['--id', 'a', '--to', '1'], { ...note, text: 'new', duration_ms: 900 }],
    [['--id', 'a', '--at', '0.2'], { ...note, text: 'new', t: 200, duration_ms: null }],
    [['--id', 'a', 'back', '--at', 'hitch:1'], { ...note, text: 'back', t: 500, duration_ms: 80 }],
  ] as const) {
    assert.deepEqual(await change(...args).then((done) => done.note), expected, args.join(' '));
    const { notes } = await document('a.vpt');
    assert.deepEqual(
      notes.find(({ id }: { id: string }) => id === 'a'),
      expected,
    );
  }
  // A trace of several sources needs one in each record. The id of the note stays a number.
  await change('--id', '1', 'changed');
  assert.match(
    text('a.vpt'),
    /\{"type":"note","t":900,"source":"native","id":1,"text":"changed"\}/,
  );
  assert.equal((await change('--remove', '1')).change, 'removed');
  assert.deepEqual(
    (await document('a.vpt')).notes.map(({ id }: { id: string }) => id),
    ['a'],
  );
});

test('the number 1 and the text "1" are different notes, and both can be named', async (t) => {
  const { document } = open(t, {
    'a.vpt': `${traceFromText('browser\n0 note 1 number')}{"type":"note","t":0,"id":"1","text":"text"}\n`,
  });
  await document('a.vpt', '--id', '"1"', 'the text');
  await document('a.vpt', '--id', '1', 'the number');
  const { notes } = await document('a.vpt');
  assert.deepEqual(
    notes.map(({ id, text }: { id: unknown; text: string }) => [id, text]),
    [
      [1, 'the number'],
      ['1', 'the text'],
    ],
  );
});

test('a note is written into every valid trace, and all bytes around it stay', async (t) => {
  const goldens = readdirSync(GOLDEN).filter((name) => name.endsWith('.vpt'));
  const end = `{"type":"end","t":2,"reason":"off"${' '.repeat(1_048_576 - 35)}}\n`;
  const [header = ''] = GAME.split('\n');
  const files: Record<string, Uint8Array> = {
    ...Object.fromEntries(goldens.map((name) => [name, readFileSync(join(GOLDEN, name))])),
    'a-huge-line.vpt': Buffer.from(`${header}\n${end}`),
    'a-log-of-64-KiB.vpt': Buffer.from(
      `${header}\n${JSON.stringify({ type: 'log', t: 1, level: 'info', text: 'x'.repeat(65_536) })}\n{"type":"en`,
    ),
  };
  const { document, cwd } = open(t, files);
  assert.ok(goldens.length > 15);
  for (const [name, bytes] of Object.entries(files)) {
    const { note } = await document(name, 'found', '--at', '0');
    const after = readFileSync(join(cwd, name));
    const line = inserted(Buffer.from(bytes).toString('latin1'), after.toString('latin1'));
    // A header without its LF gets one.
    assert.match(line.trim(), /^\{"type":"note","t":0,.*"text":"found"\}$/, name);
    const [read, original] = [readVpt(after), readVpt(bytes)];
    assert.equal(read.torn_bytes, original.torn_bytes, name);
    assert.deepEqual(read.end, original.end, name);
    const { notes } = await document(name);
    assert.ok(
      notes.some(({ id }: { id: string }) => id === note.id),
      name,
    );
  }
});

test('-o writes a copy with the note, also to standard output, and the same file is written in place', async (t) => {
  const { run, document, text, cwd } = open(t, { 'a.vpt': GAME });
  const { out } = await document('a.vpt', 'x', '--at', '1', '-o', 'b.vpt');
  assert.deepEqual([out, text('a.vpt')], ['b.vpt', GAME]);
  assert.match(inserted(GAME, text('b.vpt')), /"text":"x"/);
  const { code, stdout, stderr } = await run('a.vpt', 'x', '--at', '1', '-o', '-');
  assert.deepEqual([code, text('a.vpt')], [0, GAME]);
  assert.match(inserted(GAME, stdout), /"text":"x"/);
  assert.match(stderr, /^Added the note [0-9a-f]{8} at 1\.000 s\.\n$/);
  chmodSync(join(cwd, 'a.vpt'), 0o640);
  await document(
    'a.vpt',
    'x',
    '--at',
    '1',
    '-o',
    '../'.concat(cwd.split('/').at(-1) ?? '', '/a.vpt'),
  );
  assert.match(inserted(GAME, text('a.vpt')), /"text":"x"/);
  assert.equal(statSync(join(cwd, 'a.vpt')).mode & 0o777, 0o640);
});

test('the file keeps its permissions, and a symbolic link to it stays', async (t) => {
  const { cwd, document } = open(t, { 'a.vpt': GAME });
  mkdirSync(join(cwd, 'links'));
  symlinkSync('../a.vpt', join(cwd, 'links/b.vpt'));
  // Only root may write a file without permissions for it.
  const modes = [0o600, 0o664, ...(process.getuid?.() === 0 ? [0o444] : [])];
  for (const mode of modes) {
    chmodSync(join(cwd, 'a.vpt'), mode);
    await document('links/b.vpt', 'x', '--at', '1');
    assert.equal(statSync(join(cwd, 'a.vpt')).mode & 0o777, mode);
  }
  assert.ok(lstatSync(join(cwd, 'links/b.vpt')).isSymbolicLink());
  if (process.getuid?.() === 0) {
    chownSync(join(cwd, 'a.vpt'), 65_534, 65_534);
    await document('a.vpt', 'same owner', '--at', '1');
    const { uid, gid } = statSync(join(cwd, 'a.vpt'));
    assert.deepEqual([uid, gid], [65_534, 65_534]);
  }
  assert.ok((await document('a.vpt')).notes.length >= 3);
  assert.deepEqual(readdirSync(cwd).sort(), ['a.vpt', 'links']);
  assert.deepEqual(readdirSync(join(cwd, 'links')), ['b.vpt']);
});

test('svc trace note rejects wrong usage with 2, and the trace stays', async (t) => {
  const { run, text } = open(t, { 'a.vpt': NOTED });
  for (const [args, message] of [
    [['x'], /The time of the note is missing\. Add --at SECONDS\./],
    [['x', '--for', '1'], /The time of the note is missing/],
    [['--at', '1'], /TEXT is missing/],
    [['', '--at', '1'], /The text of the note is empty\.\nUse --remove ID/],
    [[' \n\t', '--id', 'a'], /The text of the note is empty\.\nUse --remove ID/],
    [['a\u001b[2J', '--at', '1'], /the control character U\+001B/],
    [['a\r\nb', '--at', '1'], /the control character U\+000D/],
    [['a\u0085', '--at', '1'], /the control character U\+0085/],
    [['x'.repeat(16_385), '--at', '1'], /has 16385 characters\. At most 16384 are allowed/],
    [['x', '--at', '1', '--for', '1', '--to', '2'], /Use --for or --to, not both/],
    [['x', '--at', '1-2', '--for', '1'], /--at names a range already/],
    [['x', '--at', 'hitch:1', '--to', '2'], /--at names a range already/],
    [['x', '--at', '0.5', '--to', '0.4'], /--to is before the time of the note, 0\.500 s/],
    [['--id', 'a', '--to', '0.05'], /--to is before the time of the note, 0\.100 s/],
    [['x', '--at', 'noon'], /Write seconds such as/],
    [['x', '--at', '1', '--for=-1'], /Write seconds such as/],
    [['--id', 'a'], /--id needs a new TEXT or a new time\. Use --remove ID/],
    [['x', '--remove', 'a'], /--remove takes no TEXT/],
    [['--remove', 'a', '--at', '1'], /--remove takes no TEXT/],
    [['--remove', 'a', '--id', 'a'], /--remove takes no TEXT/],
    [['-o', 'b.vpt'], /-o needs a change/],
    [['x', '--at', '1', '-o', '-', '--json'], /--json needs an output file/],
    [['x', 'y', '--at', '1'], /Too many arguments/],
  ] as const) {
    const { code, stderr } = await run('a.vpt', ...args);
    assert.equal(code, 2, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, message);
  }
  assert.equal(text('a.vpt'), NOTED);
  const longest = await run('a.vpt', '✓'.repeat(16_384), '--at', '1');
  assert.equal(longest.code, 0, longest.stderr);
  const { code, stderr } = await run('-', 'x', '--at', '1');
  assert.equal(code, 2);
  assert.match(stderr, /cannot be added to standard input\.\nSave the trace to a file/);
});

test('svc trace note names the length of the trace, or the command that lists the notes, if something is not in it', async (t) => {
  const { run, text } = open(t, { 'a.vpt': NOTED, 'empty.vpt': traceFromText('browser\n') });
  for (const [args, message] of [
    [
      ['x', '--at', '1.001'],
      /"a\.vpt" ends at 1\.000 s, before 1\.001 s\.\nName a time up to 1\.000 s/,
    ],
    [['x', '--at', '0.5-3'], /"a\.vpt" ends at 1\.000 s, before 3\.000 s/],
    [['x', '--at', '0.5', '--for', '9'], /"a\.vpt" ends at 1\.000 s, before 9\.500 s/],
    [['x', '--at', '0.5', '--to', '9'], /"a\.vpt" ends at 1\.000 s, before 9\.000 s/],
    [['x', '--at', 'hitch:9'], /"a\.vpt" has only one of these moments/],
    [['x', '--id', 'gone'], /"a\.vpt" has no note "gone"\.\nList its notes: svc trace note a\.vpt/],
    [['--remove', 'gone'], /has no note "gone"/],
    [['--remove', '\u001b[2J\na'], /has no note "\\x1b\[2J\\na"/],
  ] as const) {
    const { code, stderr } = await run('a.vpt', ...args);
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, message);
  }
  assert.equal(text('a.vpt'), NOTED);
  assert.match((await run('empty.vpt', 'x', '--at', '1')).stderr, /ends at 0\.000 s/);
  assert.equal((await run('empty.vpt', 'x', '--at', '0')).code, 0);
});

test('svc trace note refuses files that have no notes, and names the command that converts them', async (t) => {
  const files = {
    'a.vpt.gz': gzipSync(NOTED),
    'gz.vpt': gzipSync(NOTED),
    'a.folded': 'main;a 1\n',
    'a.json': '{"traceEvents":[]}',
    'a.cpuprofile': '{"nodes":[],"startTime":0,"endTime":0}',
  };
  const { cwd, run } = open(t, { ...files, 'bad.vpt': 'nonsense\n' });
  mkdirSync(join(cwd, 'folder'));
  for (const [name, bytes] of Object.entries(files)) {
    const { code, stderr } = await run(name, 'x', '--at', '0');
    assert.equal(code, 1, name);
    const [what, how] = {
      'a.vpt.gz': ['is compressed.', 'gunzip -k a.vpt.gz'],
      'gz.vpt': ['is compressed.', 'svc trace convert gz.vpt -o OUT.vpt'],
    }[name] ?? ['is not a .vpt file.', `svc trace convert ${name} -o OUT.vpt`];
    assert.ok(stderr.includes(`"${name}" ${what}\n`), stderr);
    assert.ok(stderr.includes(how ?? ''), stderr);
    assert.deepEqual(readFileSync(join(cwd, name)), Buffer.from(bytes), name);
  }
  assert.match((await run('a.folded')).stderr, /"a\.folded" is not a \.vpt file/);
  for (const [name, message] of [
    ['missing.vpt', /Cannot read "missing\.vpt": the file does not exist/],
    ['folder', /Cannot read "folder": it is a folder/],
    ['/dev/null', /Cannot read "\/dev\/null": it is not a regular file/],
    ['bad.vpt', /bad\.vpt:1:/],
  ] as const) {
    const { code, stderr } = await run(name, 'x', '--at', '0');
    assert.equal(code, 1, name);
    assert.match(stderr, message);
  }
});

test('svc trace symbolicate and convert keep note lines byte for byte', async (t) => {
  const line =
    '{"id":"x", "t":100,"type":"note","text":"A caf\\u00e9\\nand more" ,"duration_ms":5}\n';
  const trace = GAME.replace('\n{"type":"end"', () => `\n${line}{"type":"end"`);
  assert.ok(trace.includes(line));
  const { cwd, text } = open(t, { 'a.vpt': trace, 'a.vpt.gz': gzipSync(trace) });
  mkdirSync(join(cwd, 'maps'));
  for (const args of [
    ['symbolicate', 'a.vpt', '--maps', 'maps', '-o', 'out.vpt'],
    ['convert', 'a.vpt.gz', '-o', 'out.vpt'],
    ['convert', 'a.vpt', '-o', 'out.vpt'],
  ]) {
    const { code, stderr } = await runHere(t, ['trace', ...args], { cwd });
    assert.equal(code, 0, stderr);
    assert.equal(text('out.vpt'), trace, args.join(' '));
  }
});

test('svc trace note is a whole program: a note that is added in one run is listed in the next', async (t) => {
  const { cwd } = open(t, { 'a.vpt': GAME });
  const added = await runSvc(t, ['trace', 'note', 'a.vpt', '--at', '1', '--', '-5 ms'], { cwd });
  assert.equal(added.code, 0, added.stderr);
  const { stdout } = await runSvc(t, ['trace', 'note', 'a.vpt'], { cwd });
  assert.match(stdout, /-5 ms\n$/);
});
