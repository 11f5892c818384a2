// One recording from start to export: its options, its writes, its end, and the restored page.
import './fake-clock.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as svc from '../src/index.ts';
import { begin, latest } from '../src/recording/active.ts';
import { VERSION } from '../src/recording/version.ts';
import { clock } from './fake-clock.ts';
import { fakeContexts, methodsOf } from './fake-gl.ts';
import { type Line, Page, setGlobal } from './recorded.ts';

const PARTS = {
  frames: false,
  longTasks: false,
  memory: false,
  resources: false,
  images: false,
  audio: false,
  functions: false,
  webgl: false,
  webgpu: false,
} as const;

/** A page whose timers a test advances. The recording ends with the test. */
function openPage(t: TestContext): Page {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  t.after(() => svc.stop());
  const page = new Page();
  setGlobal(t, 'document', page);
  return page;
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const exported = (): Line[] => linesOf(svc.exportText());

/** Marks whose lines have about this many bytes in total. */
function fill(bytes: number): void {
  for (let at = 0; at < bytes / 500; at++) svc.mark('x'.repeat(460));
}

test('before the first start an export is empty, and every function may be called', (t) => {
  const createElement = t.mock.fn(() => ({ click(): void {} }));
  setGlobal(t, 'document', { createElement });
  assert.deepEqual(svc.status(), { state: 'idle', bytes: 0, records: 0, lost: 0, absent: [] });
  assert.equal(svc.exportText(), '');
  assert.equal(svc.export().size, 0);
  svc.stop();
  svc.mark('nothing');
  svc.counter('nothing', 1);
  svc.span('nothing').end();
  svc.asset('nothing');
  svc.download();
  assert.equal(createElement.mock.callCount(), 0, 'an empty file is not downloaded');
  assert.equal(svc.exportText(), '');
});

test('without a document or worker no recording starts', (t) => {
  svc.start();
  assert.equal(svc.status().state, 'idle');
  openPage(t);
  setGlobal(t, 'document', undefined);
  setGlobal(t, 'WorkerGlobalScope', class {});
  svc.start({ parts: PARTS });
  assert.equal(svc.status().state, 'recording', 'a worker has no document');
});

test('a trace has its header, the notes in order, and one end', (t) => {
  openPage(t);
  svc.start({ parts: PARTS });
  svc.mark('one');
  clock.ms += 5;
  svc.mark('two');
  const [header, ...running] = exported();
  assert.deepEqual(
    { ...header, started_at: '' },
    {
      vpt: 1,
      producer: { name: 'svc-collector', version: VERSION },
      started_at: '',
      sources: ['browser'],
    },
  );
  assert.match(String(header?.['started_at']), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const marks = [
    { type: 'mark', t: 0, name: 'one' },
    { type: 'mark', t: 5, name: 'two' },
  ];
  assert.deepEqual(running, marks, 'a running trace has no end yet');
  assert.deepEqual(exported().slice(1), marks, 'nothing is recorded twice');
  const { state, bytes, records, lost } = svc.status();
  assert.deepEqual([state, records, lost], ['recording', 2, 0]);
  assert.equal(
    bytes,
    marks.map((line) => JSON.stringify(line).length + 1).reduce((a, b) => a + b),
  );
  clock.ms += 2;
  svc.mark('three');
  svc.stop();
  clock.ms += 100;
  svc.stop();
  svc.mark('too late');
  svc.counter('too late', Number.NaN);
  assert.equal(svc.status().lost, 0);
  const end = { type: 'end', t: 7, reason: 'stopped' };
  assert.deepEqual(exported().slice(1), [...marks, { type: 'mark', t: 7, name: 'three' }, end]);
  assert.equal(svc.status().state, 'stopped');
});

test('a trace is exported as text, as a file, and as a download whose link is removed', async (t) => {
  const page = openPage(t);
  svc.start({ parts: PARTS });
  svc.mark('höher');
  svc.stop();
  const file = svc.export();
  assert.equal(file.type, 'application/x-ndjson');
  assert.equal(await file.text(), svc.exportText());
  const clicked: unknown[] = [];
  const createElement = (tag: string): object => ({
    tag,
    href: '',
    download: '',
    click(): void {
      clicked.push({ ...this, click: undefined });
    },
  });
  Object.assign(page, { createElement });
  const made: Blob[] = [];
  t.mock.method(URL, 'createObjectURL', (blob: Blob) => `blob:${made.push(blob)}`);
  const revoke = t.mock.method(URL, 'revokeObjectURL', () => {});
  for (const name of ['level-3.vpt', '', undefined]) svc.download(name);
  Reflect.apply(svc.download, undefined, [5]);
  assert.deepEqual(
    clicked.map((link) => Object.values(Object(link)).slice(0, 3)),
    [
      ['a', 'blob:1', 'level-3.vpt'],
      ['a', 'blob:2', 'game.vpt'],
      ['a', 'blob:3', 'game.vpt'],
      ['a', 'blob:4', 'game.vpt'],
    ],
  );
  assert.equal(await made[0]?.text(), svc.exportText());
  t.mock.timers.tick(59_999);
  assert.equal(revoke.mock.callCount(), 0);
  t.mock.timers.tick(1);
  assert.deepEqual(
    revoke.mock.calls.map(({ arguments: [url] }) => url),
    ['blob:1', 'blob:2', 'blob:3', 'blob:4'],
  );
});

test('a second start does not affect a running recording, and a start after the end begins a new one', (t) => {
  openPage(t);
  svc.start({ parts: PARTS });
  svc.mark('first');
  svc.start({ parts: PARTS });
  assert.equal(exported()[1]?.['name'], 'first');
  svc.stop();
  svc.start({ parts: PARTS });
  assert.deepEqual(exported().length, 1);
  svc.mark('second');
  assert.deepEqual(
    exported().map(({ name }) => name),
    [undefined, 'second'],
  );
});

test('records are written once a second, in an idle callback if the page has them', (t) => {
  openPage(t);
  const idle: { readonly work: () => void; readonly options: unknown }[] = [];
  const spooled: string[] = [];
  const spool = {
    append: (bytes: Uint8Array) => spooled.push(new TextDecoder().decode(bytes)),
    dropOldest: () => {},
  };
  svc.start({ parts: PARTS, spool });
  assert.deepEqual(linesOf(spooled.splice(0).join(''))[0]?.['vpt'], 1, 'the header at once');
  svc.mark('one');
  t.mock.timers.tick(999);
  assert.deepEqual(spooled, []);
  t.mock.timers.tick(1);
  assert.equal(linesOf(spooled.splice(0).join(''))[0]?.['name'], 'one');
  setGlobal(t, 'requestIdleCallback', (work: () => void, options: unknown) =>
    idle.push({ work, options }),
  );
  svc.mark('two');
  t.mock.timers.tick(1_000);
  assert.deepEqual([spooled, idle.map(({ options }) => options)], [[], [{ timeout: 500 }]]);
  idle[0]?.work();
  assert.equal(linesOf(spooled.splice(0).join(''))[0]?.['name'], 'two');
  setGlobal(t, 'requestIdleCallback', () => {
    throw new Error('no idle moments');
  });
  t.mock.timers.tick(1_000);
  svc.mark('three');
  svc.stop();
  assert.deepEqual(
    linesOf(spooled.splice(0).join('')).map(({ type }) => type),
    ['mark', 'end'],
  );
});

test('after the end no data is requested or written', (t) => {
  openPage(t);
  const memory = { usedJSHeapSize: 5_000 };
  Object.defineProperty(performance, 'memory', { value: memory, configurable: true });
  t.after(() => Reflect.deleteProperty(performance, 'memory'));
  const idle: (() => void)[] = [];
  setGlobal(t, 'requestIdleCallback', (work: () => void) => idle.push(work));
  svc.start({ parts: { ...PARTS, memory: true } });
  t.mock.timers.tick(1_000);
  svc.stop();
  const trace = svc.exportText();
  const { bytes } = svc.status();
  assert.equal(idle.length, 1);
  idle[0]?.();
  t.mock.timers.tick(5_000);
  assert.equal(idle.length, 1);
  assert.equal(svc.exportText(), trace);
  assert.equal(svc.status().bytes, bytes);
  assert.equal(exported().at(-1)?.['type'], 'end');
});

test('an exception of a spool is not visible', (t) => {
  openPage(t);
  const fault = () => {
    throw new Error('broken');
  };
  svc.start({ parts: PARTS, spool: { append: fault, dropOldest: fault } });
  svc.mark('one');
  svc.stop();
  assert.deepEqual(
    exported().map(({ type }) => type),
    [undefined, 'mark', 'end'],
  );
});

test('at the budget, the oldest records are dropped and reported as a loss first, or the recording ends', (t) => {
  openPage(t);
  svc.start({ parts: PARTS, budgetBytes: 100_000 });
  fill(60_000);
  t.mock.timers.tick(1_000);
  assert.equal(svc.status().lost, 0);
  fill(120_000);
  svc.mark('last');
  svc.stop();
  const [, loss, first, ...rest] = exported();
  const { lost, bytes, records } = svc.status();
  assert.ok(lost > 100 && bytes > 50_000 && bytes <= 100_000, `${lost} lost, ${bytes} bytes`);
  assert.equal(records, 361);
  assert.deepEqual(
    [loss?.['type'], loss?.['reason'], loss?.['count']],
    ['loss', 'storage_cap', lost],
  );
  assert.deepEqual([first?.['type'], rest.at(-1)?.['type']], ['mark', 'end']);
  assert.equal(rest.at(-2)?.['name'], 'last', 'the newest are kept');
  assert.equal(rest.length, records - lost);

  svc.start({ parts: PARTS, budgetBytes: 100_000, whenFull: 'stop' });
  fill(180_000);
  assert.equal(svc.status().state, 'recording');
  t.mock.timers.tick(1_000);
  const full = svc.status();
  assert.deepEqual([full.state, full.records], ['stopped', 360]);
  assert.ok(full.lost > 100 && full.bytes <= 100_000);
  const lines = exported();
  assert.deepEqual(
    [lines[1]?.['type'], lines[1]?.['count'], lines.at(-1)?.['reason']],
    ['loss', full.lost, 'storage_cap'],
  );
});

test('an invalid budget has the default, and one that is too small the minimum', (t) => {
  openPage(t);
  const held = (budgetBytes: unknown, bytes: number): number => {
    Reflect.apply(svc.start, undefined, [{ parts: PARTS, budgetBytes }]);
    for (let left = bytes; left > 0; left -= 2_000_000) {
      fill(Math.min(left, 2_000_000));
      t.mock.timers.tick(1_000);
    }
    svc.stop();
    return svc.status().bytes;
  };
  const room = 65_536 - 4_096;
  for (const budget of [1, 65_535]) {
    const bytes = held(budget, 90_000);
    assert.ok(bytes > room - 10_000 && bytes <= room, `${budget}: ${bytes}`);
  }
  assert.ok(held(75_000, 90_000) > room);
  for (const budget of [0, -5, Number.NaN, '100000', undefined]) {
    assert.ok(held(budget, 200_000) > 190_000, String(budget));
  }
  const bytes = held(undefined, 72_000_000);
  const usual = 64 * 1_048_576 - 4_096;
  assert.ok(bytes > usual - 10_000 && bytes <= usual, String(bytes));
});

test('an unsupported part is reported once, and a part that the options omit is not reported', (t) => {
  openPage(t);
  setGlobal(t, 'PerformanceObserver', undefined);
  const absent = (parts: object) => {
    svc.start({ parts });
    svc.stop();
    const { absent: said } = svc.status();
    const logs = exported().filter(({ type }) => type === 'log');
    assert.deepEqual(
      logs.map(({ text }) => text),
      said.map(({ what, why }) => `not recorded: ${what}: ${why}`),
    );
    return said.map(({ what }) => what);
  };
  assert.deepEqual(absent({ images: false }), [
    'frames',
    'longTasks',
    'JS heap',
    'page memory',
    'resources',
    'audio',
    'functions',
    'webgl',
    'webgpu',
  ]);
  assert.deepEqual(absent({}).at(-3), 'image decoders');
  const rest = {
    images: false,
    resources: false,
    longTasks: false,
    functions: false,
    webgpu: false,
  };
  assert.deepEqual(absent({ ...rest, frames: false, memory: false }), ['audio', 'webgl']);
  assert.deepEqual(absent({ ...rest, audio: false, webgl: false }), [
    'frames',
    'JS heap',
    'page memory',
  ]);
  assert.deepEqual(absent(PARTS), []);
  setGlobal(t, 'document', undefined);
  setGlobal(t, 'WorkerGlobalScope', class {});
  const { frames: _, ...others } = PARTS;
  assert.deepEqual(absent(others), ['frames', 'hidden tab']);
});

test('a part that cannot start is reported, and the others are recorded', (t) => {
  const page = openPage(t);
  Object.defineProperty(page, 'addEventListener', {
    value: () => {
      throw new Error('no listeners');
    },
  });
  setGlobal(t, 'requestAnimationFrame', () => 1);
  svc.start({ parts: { ...PARTS, frames: true } });
  svc.mark('one');
  assert.deepEqual(svc.status().absent, [
    { what: 'frames', why: 'no listeners' },
    { what: 'hidden tab', why: 'no listeners' },
  ]);
  assert.equal(exported().at(-1)?.['name'], 'one');
});

/** The functions that a recording replaces in this page. */
const replaceable = () => {
  const owners = [Response.prototype, Blob.prototype, URL, WebGL2RenderingContext.prototype];
  return owners.map(methodsOf);
};

test('stop restores everything that start replaced, and ends timers and observers', (t) => {
  const page = openPage(t);
  fakeContexts(t);
  const before = replaceable();
  const listeners = t.mock.method(page, 'addEventListener');
  const removed = t.mock.method(page, 'removeEventListener');
  setGlobal(t, 'requestAnimationFrame', () => 7);
  const cancel = t.mock.fn();
  setGlobal(t, 'cancelAnimationFrame', cancel);
  svc.start();
  const during = replaceable();
  for (const [at, names] of [
    ['blob', 'arrayBuffer', 'bytes'],
    ['arrayBuffer'],
    ['createObjectURL'],
    ['texImage2D', 'drawArrays', 'bufferData', 'getExtension', 'linkProgram'],
  ].entries()) {
    for (const name of names) assert.notEqual(during[at]?.[name], before[at]?.[name], name);
  }
  svc.stop();
  assert.deepEqual(replaceable(), before);
  assert.equal(listeners.mock.callCount(), 2);
  assert.deepEqual(
    removed.mock.calls.map(({ arguments: [type, listener] }) => [type, listener]),
    listeners.mock.calls.map(({ arguments: [type, listener] }) => [type, listener]).toReversed(),
  );
  assert.deepEqual(
    cancel.mock.calls.map(({ arguments: [handle] }) => handle),
    [7],
  );
});

test('the GPU is timed unless the options omit it', (t) => {
  openPage(t);
  const { Gl2 } = fakeContexts(t);
  for (const gpuTimer of [undefined, true, false]) {
    const gl = new Gl2();
    Object.assign(gl.results, { getExtension: {}, getQuery: null, createQuery: {} });
    svc.start({ parts: { ...PARTS, webgl: true, ...(gpuTimer !== undefined && { gpuTimer }) } });
    gl.call('drawArrays', 4, 0, 3);
    svc.stop();
    const begun = gl.calls.some(([name]) => name === 'beginQuery');
    assert.equal(begun, gpuTimer !== false, String(gpuTimer));
  }
});

test('omitted parts replace no methods', (t) => {
  openPage(t);
  fakeContexts(t);
  const before = replaceable();
  svc.start({ parts: PARTS });
  assert.deepEqual(replaceable(), before);
});

test('an export of a running recording includes pending records, and the last frames come with the end', (t) => {
  openPage(t);
  const asked: ((time: number) => void)[] = [];
  setGlobal(t, 'requestAnimationFrame', (tick: (time: number) => void) => asked.push(tick));
  svc.start({ parts: { ...PARTS, frames: true } });
  const frame = () => {
    clock.ms += 10;
    asked.at(-1)?.(clock.ms);
  };
  for (let at = 0; at < 4; at++) frame();
  const durations = () => exported().flatMap(({ duration_ms }) => duration_ms ?? []);
  assert.deepEqual(durations(), [10, 10, 10]);
  const { columns } = latest()?.sink ?? assert.fail();
  columns.gpu = true;
  frame();
  assert.deepEqual(durations(), [10, 10, 10], 'the newest wait for their GPU times');
  svc.stop();
  assert.deepEqual(durations(), [10, 10, 10, 10]);
  const count = asked.length;
  frame();
  assert.equal(asked.length, count, 'after the end no frame is requested');
});

test('a released recording has freed its bytes', (t) => {
  openPage(t);
  begin({ parts: PARTS }, () => null);
  const first = latest();
  svc.mark('one');
  svc.stop();
  assert.equal(first?.parts().length, 4);
  begin({ parts: PARTS }, () => null);
  assert.notEqual(latest(), first);
  assert.equal(first?.parts().length, 3, 'header, loss and end');
});

test('core records without WebGL and WebGPU', async (t) => {
  openPage(t);
  fakeContexts(t);
  const before = replaceable();
  const core = await import('../src/core.ts');
  core.start({ parts: { ...PARTS, webgl: true, webgpu: true } });
  assert.deepEqual(replaceable(), before);
  core.mark('one');
  assert.deepEqual(core.status().absent, []);
  core.stop();
  assert.equal(linesOf(core.exportText())[1]?.['name'], 'one');
});

test('invalid options are ignored', (t) => {
  openPage(t);
  setGlobal(t, 'PerformanceObserver', undefined);
  for (const options of [undefined, null, {}, { parts: null }, { parts: undefined }]) {
    Reflect.apply(svc.start, undefined, [options]);
    assert.equal(svc.status().state, 'recording', String(options));
    svc.stop();
  }
});
