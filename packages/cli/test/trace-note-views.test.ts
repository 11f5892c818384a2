// Commands that describe a trace show its notes, and no text of a note controls the terminal or the Markdown.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { traceFromText } from '@svc/trace/testing';
import { Errors } from 'typebox/value';
import { DOCUMENTS } from '../src/documents.ts';
import { runHere } from './run-here.ts';
import { temporaryFolder } from './svc.ts';

const GAME = traceFromText(`browser
  0 frames 10*50 80 10*50 40 10
  0 note all duration_ms=1500 level 2
  505 note door door opens
  2000 end off
`).replace('"door opens"', '"door opens\\nand the boss wakes up"');
const NATIVE = traceFromText(`native
  1000 process cpu=10 rss=1048576
  2000 process cpu=180 rss=1048576
  3000 process cpu=20 rss=5242880
  1500 note 1 the save
`);
const PLAIN = GAME.replaceAll(/\{"type":"note".*\n/g, '');

/** Escape sequences, direction marks, Markdown, long ids and texts. */
const HOSTILE = [
  ['\u001b]0;title\u0007', '\u001b[2J\u202eevil\u2066\nsecond\u009b31m'],
  ['a\nb\tc', '| a | <script>alert(1)</script> ![x](http://h/y.png) @everyone'],
  ['i'.repeat(60_000), '✓'.repeat(20_000)],
  ['\u2028', '\u0000\u007f\r\rback'],
  [7, 'a\ud83d\ude00'.repeat(10_000)],
] as const;
const hostileLines = HOSTILE.map(
  ([id, text]) => `${JSON.stringify({ type: 'note', t: 505, id, text })}\n`,
);
const HOSTILE_GAME = PLAIN.replace('{"type":"end"', () => `${hostileLines.join('')}{"type":"end"`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must not receive these
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function open(t: TestContext) {
  const cwd = temporaryFolder(t);
  for (const [name, text] of Object.entries({ GAME, NATIVE, PLAIN, HOSTILE_GAME })) {
    writeFileSync(join(cwd, `${name}.vpt`), text);
  }
  const text = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runHere(t, ['trace', ...args], { cwd });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const document = async (
    name: 'info' | 'moments' | 'report' | 'hitches',
    file: string,
    ...args: string[]
  ) => {
    const parsed = JSON.parse(await text(name, file, ...args, '--json'));
    assert.deepEqual([...Errors(DOCUMENTS[`trace-${name}`], parsed)], []);
    return parsed;
  };
  return { cwd, text, document };
}

test('svc trace info lists up to 20 notes, and names the command that lists the others', async (t) => {
  const { cwd, text, document } = open(t);
  assert.ok(
    (await text('info', 'GAME.vpt')).endsWith(`

  notes  length  title
0.000 s   1.5 s  level 2
0.505 s          door opens …
`),
  );
  assert.deepEqual((await document('info', 'GAME.vpt')).notes, [
    { id: 'all', t: 0, duration_ms: 1500, text: 'level 2' },
    { id: 'door', t: 505, duration_ms: null, text: 'door opens\nand the boss wakes up' },
  ]);
  assert.doesNotMatch(await text('info', 'PLAIN.vpt'), /note/);
  const notes = (count: number): string =>
    traceFromText(
      `browser\n${Array.from({ length: count }, (_, at) => `${at} note n${at} x`).join('\n')}`,
    );
  for (const [count, last] of [
    [20, '0.019 s          x'],
    [21, 'and 1 more: svc trace note FILE'],
    [1005, 'and 985 more: svc trace note FILE'],
  ] as const) {
    writeFileSync(join(cwd, 'many.vpt'), notes(count));
    const lines = (await text('info', 'many.vpt')).trimEnd().split('\n');
    assert.equal(lines.at(-1), last);
    assert.equal(lines.filter((line) => line.endsWith(' x')).length, 20);
  }
  assert.equal((await document('info', 'many.vpt')).notes_left_out, 5);

  // Of 1,001 notes all but the last are removed, and it is listed.
  const removed = Array.from({ length: 1000 }, (_, at) => `9 note n${at} -`).join('\n');
  const text_of_last = `browser\n${Array.from({ length: 1001 }, (_, at) => `${at} note n${at} x`).join('\n')}\n${removed}`;
  writeFileSync(join(cwd, 'last.vpt'), traceFromText(text_of_last));
  for (const name of ['info', 'report'] as const) {
    const { notes: left, notes_left_out } = await document(name, 'last.vpt');
    assert.deepEqual([left.map(({ id }: { id: string }) => id), notes_left_out], [['n1000'], 0]);
  }
});

test('svc trace info counts the notes that do not fit into its memory, also if it lists no other', async (t) => {
  const { cwd, text, document } = open(t);
  const noteLine = (id: number, words: string): string =>
    `${JSON.stringify({ type: 'note', t: 1, id, text: words })}\n`;
  const ids = Array.from({ length: 515 }, (_, id) => id);
  const large = ids.map((id) => noteLine(id, 'x'.repeat(65_500))).join('');
  const removed = ids.slice(0, 513).map((id) => noteLine(id, ''));
  writeFileSync(join(cwd, 'a.vpt'), traceFromText('browser') + large + removed.join(''));
  const { notes, notes_left_out } = await document('info', 'a.vpt');
  assert.equal(notes.length + notes_left_out, 2);
  assert.ok(
    (await text('info', 'a.vpt')).endsWith('\n\n2 notes are not listed: svc trace note FILE\n'),
  );
});

test('svc trace moments has the title of the closest note in each row, and the whole notes of one moment', async (t) => {
  const { text, document } = open(t);
  const list = await text('moments', 'GAME.vpt');
  assert.match(list, /^MOMENT +TIME +DURATION +BOUND BY +NOTE +CAUSES$/m);
  assert.match(list, /^hitch:1 .* unknown {3}door opens {2}\S/m);
  assert.match(list, /^hitch:2 .* unknown {3}level 2 {5}\S/m);
  assert.match(await text('moments', 'GAME.vpt', '--markdown'), /\| NOTE \| CAUSES \|\n/);
  assert.doesNotMatch(await text('moments', 'PLAIN.vpt'), /NOTE/);
  const { moments } = await document('moments', 'GAME.vpt');
  assert.deepEqual(
    moments.map(({ note }: { note: unknown }) => note),
    ['door opens', 'level 2'],
  );
  const one = await text('moments', 'GAME.vpt', '--at', 'hitch:1');
  assert.match(
    one,
    /\n\nNotes\n- 0\.000 s for 1\.5 s: level 2\n- 0\.505 s: door opens and the boss wakes up\n\nFrames\n/,
  );
  const { notes, left_out } = await document(
    'moments',
    'GAME.vpt',
    '--at',
    'hitch:1',
    '--limit',
    '1',
  );
  assert.deepEqual(notes, [{ id: 'all', t: 0, duration_ms: 1500, text: 'level 2' }]);
  assert.equal(left_out, 1);
  assert.doesNotMatch(await text('moments', 'GAME.vpt', '--at', '1.6-1.7'), /Notes/);

  const native = await text('moments', 'NATIVE.vpt');
  assert.match(native, /^MOMENT +TIME +CPU +RSS +RISE +NOTE$/m);
  assert.match(native, /^cpu:1 +1\.000 s .*the save$/m);
});

test('a moment that has only a note is not called empty', async (t) => {
  const { cwd, text } = open(t);
  writeFileSync(join(cwd, 'a.vpt'), traceFromText('native\n500 note 1 here\n9000 end off'));
  const one = await text('moments', 'a.vpt', '--at', '0-1');
  assert.match(one, /- 0\.500 s: here/);
  assert.doesNotMatch(one, /has nothing/);
  assert.match(await text('moments', 'a.vpt', '--at', '1-2'), /has nothing/);
});

test('svc trace report lists the notes as text and as Markdown, and its page contains them', async (t) => {
  const { cwd, text, document } = open(t);
  assert.match(
    await text('report', 'GAME.vpt'),
    /\n\nNotes\n {3}TIME {2}LENGTH {2}NOTE\n0\.000 s {3}1\.5 s {2}level 2\n0\.505 s {10}door opens …\n\nFrame pacing\n/,
  );
  assert.match(
    await text('report', 'GAME.vpt', '--markdown'),
    /\n\*\*Notes\*\*\n\n\| TIME \| LENGTH \| NOTE \|\n\| ---: \| ---: \| --- \|\n\| 0\.000 s \| 1\.5 s \| level 2 \|\n/,
  );
  assert.doesNotMatch(await text('report', 'PLAIN.vpt'), /Notes/);
  const { notes, notes_left_out } = await document('report', 'GAME.vpt');
  assert.deepEqual([notes.length, notes_left_out, notes[0].text], [2, 0, 'level 2']);

  await text('report', 'GAME.vpt', '-o', 'page.html');
  const html = await readFile(join(cwd, 'page.html'), 'utf8');
  const [, data = ''] =
    /<script type="application\/vnd\.svc\.trace"[^>]*>([^<]*)</.exec(html) ?? [];
  assert.equal(gunzipSync(Buffer.from(data, 'base64')).toString(), GAME);

  const many = Array.from({ length: 23 }, (_, at) => `${at} note n${at} x`).join('\n');
  writeFileSync(join(cwd, 'many.vpt'), traceFromText(`browser\n0 frames 10*9\n${many}`));
  assert.match(
    await text('report', 'many.vpt'),
    /\n0\.019 s +x\n\nAnd 3 more: svc trace note FILE\n/,
  );
  const more = await document('report', 'many.vpt');
  assert.deepEqual([more.notes.length, more.notes_left_out], [20, 3]);
});

test('svc trace hitches has the title of the closest note of each hitch', async (t) => {
  const { text, document } = open(t);
  const lines = await text('hitches', 'GAME.vpt');
  assert.match(lines, /\n {2}Note: door opens\n[\s\S]*\n {2}Note: level 2\n/);
  assert.equal((await document('hitches', 'GAME.vpt')).hitches[0].note, 'door opens');
  assert.doesNotMatch(await text('hitches', 'PLAIN.vpt'), /Note:/);
});

test('hostile notes control neither the terminal nor the Markdown, and long ones are clipped', async (t) => {
  const { text } = open(t);
  for (const args of [
    ['note'],
    ['info'],
    ['moments'],
    ['moments', '--at', 'hitch:1'],
    ['report'],
    ['hitches'],
    ['moments', '--markdown'],
    ['report', '--markdown'],
  ]) {
    const [name = '', ...options] = args;
    const shown = await text(name, 'HOSTILE_GAME.vpt', ...options);
    assert.doesNotMatch(shown, UNSAFE, args.join(' '));
    const longest = Math.max(...shown.split('\n').map((line) => line.length));
    assert.ok(longest < 1200, `${args.join(' ')}: ${longest}`);
    if (options.includes('--markdown')) {
      assert.doesNotMatch(shown, /<script|!\[x\]|@everyone/);
      for (const row of shown.split('\n').filter((line) => line.startsWith('|'))) {
        assert.match(row, /\|$/);
      }
    }
  }
});

test('svc trace diff and analyze are the same with and without notes', async (t) => {
  const { text } = open(t);
  assert.equal(await text('analyze', 'GAME.vpt'), await text('analyze', 'PLAIN.vpt'));
  const metrics = async (file: string) =>
    JSON.parse(await text('diff', 'PLAIN.vpt', file, '--json')).metrics;
  assert.deepEqual(await metrics('GAME.vpt'), await metrics('PLAIN.vpt'));
});
