import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as puppeteer from 'puppeteer-core';
import { InputScriptError, parseInputScript } from './input-script.ts';
import { formatStep } from './input-step.ts';
import { isKeyCode } from './key-codes.ts';

/** The steps of a script as text, with milliseconds. */
function stepsOf(text: string): string[] {
  return parseInputScript(text).steps.map(({ at_ms, step }) => `${at_ms} ${formatStep(step)}`);
}

test('each kind of step is read, and written again as it was', () => {
  const lines = [
    'key down KeyW',
    'key up ShiftLeft',
    'mouse move 10 20.5',
    'mouse down 10 -20 left',
    'mouse up 10 20 middle',
    'wheel 1 2 0 -120',
    'touch down 0 5 6',
    'touch move 9 5 6',
    'touch up 0 5 6',
    'gamepad 0 button 31 0.5',
    'gamepad 3 axis 15 -1',
  ];
  const text = lines.map((line, at) => `${at / 2} ${line}`).join('\n');
  assert.deepEqual(
    stepsOf(text),
    lines.map((line, at) => `${at * 500} ${line}`),
  );
});

test('size and end are read; comments, empty lines, a byte order mark and CRLF are ignored', () => {
  const script = parseInputScript(
    '\uFEFF# a comment\r\nsize 390x844\r\n\r\n  1.5   key  down\tSpace\r\n#2 key up Space\r\n3 end\r\n',
  );
  assert.deepEqual(script, {
    size: { width: 390, height: 844 },
    steps: [{ at_ms: 1500, step: { device: 'key', action: 'down', code: 'Space' } }],
    end_ms: 3000,
  });
  assert.deepEqual(parseInputScript(''), { size: null, steps: [], end_ms: null });
});

test('press, click and tap are held for 100 ms, and steps are in the order of time', () => {
  assert.deepEqual(
    stepsOf('2 mouse click 1 2\n1 key press Enter\n1.05 touch tap 3 4\n2.05 mouse move 9 9'),
    [
      ...['1000 key down Enter', '1050 touch down 0 3 4', '1100 key up Enter'],
      ...['1150 touch up 0 3 4', '2000 mouse down 1 2 left', '2050 mouse move 9 9'],
      '2100 mouse up 1 2 left',
    ],
  );
});

test('a step that is not valid is reported with its line', () => {
  for (const [line, expected] of [
    ['key down KeyW', /^A line begins with its time in seconds/],
    ['-1 key down KeyW', /^A line begins with its time/],
    ['90000 key down KeyW', /^A line begins with its time/],
    ['1e3 key down KeyW', /^A line begins with its time/],
    ['1', /^"" is not key, mouse, wheel, touch or gamepad/],
    ['1 end now', /^"end" is not key/],
    ['1 keys down KeyW', /^"keys" is not key/],
    ['1 key down W', /^"W" is not a key\. Write a code such as KeyW/],
    ['1 key hold KeyW', /^Expected: key down KeyW\.$/],
    ['1 key down KeyW KeyA', /^Expected: key down KeyW\.$/],
    ['1 mouse drag 1 2', /^Expected: mouse move, mouse down or mouse up\.$/],
    ['1 mouse move 1', /^Expected: mouse move X Y\.$/],
    ['1 mouse move 1 x', /^Expected: mouse move X Y\.$/],
    ['1 mouse move 1 99999999', /^Expected: mouse move X Y\.$/],
    ['1 mouse down 1 2 fourth', /^Expected: mouse down X Y left, middle or right\.$/],
    ['1 mouse down 1 2 left right', /^Expected: mouse down X Y left/],
    ['1 wheel 1 2 3', /^Expected: wheel X Y DX DY\.$/],
    ['1 touch down 10 1 1', /^The number of a finger is from 0 to 9\.$/],
    ['1 touch press 0 1 1', /^Expected: touch down, touch move or touch up\.$/],
    ['1 gamepad 4 button 0 1', /^The number of a gamepad is from 0 to 3\.$/],
    ['1 gamepad 0 button 32 1', /^The number of a button is from 0 to 31\.$/],
    ['1 gamepad 0 axis 16 1', /^The number of an axis is from 0 to 15\.$/],
    ['1 gamepad 0 axis 0 -1.1', /^The value of a gamepad's axis is from -1 to 1\.$/],
    ['1 gamepad 0 button 0 -0.5', /^The value of a gamepad's button is from 0 to 1\.$/],
    ['1 gamepad 0 stick 0 1', /^Expected: gamepad 0 button 0 1\.$/],
    ['size 1280', /^Expected a size such as 1280x720/],
    ['size 99x100', /^Expected a size/],
    ['size 8193x100', /^Expected a size/],
  ] as const) {
    assert.throws(
      () => parseInputScript(`# first\n${line}\n1 key down KeyA`),
      (error) => {
        assert.ok(error instanceof InputScriptError);
        assert.equal(error.line, 2, line);
        assert.match(error.message, expected);
        return true;
      },
    );
  }
});

test('the client of the browser knows each key', () => {
  const definitions: object = Reflect.get(puppeteer, '_keyDefinitions');
  const known = Object.entries(definitions)
    .filter(([name, { code }]) => name === code)
    .map(([name]) => name);
  const accepted: string[] = known.filter(isKeyCode);
  assert.ok(accepted.length > 100, String(accepted.length));
  for (const code of ['KeyW', 'Digit1', 'F12', 'ArrowUp', 'Space', 'ShiftLeft', 'NumpadEnter']) {
    assert.ok(accepted.includes(code), code);
  }
  const others = ['NumpadAdd', 'Numpad9', 'F24', 'MetaRight', 'Backquote', 'Pause', 'NumLock'];
  for (const code of others) assert.ok(accepted.includes(code), code);
  for (const code of ['w', 'F25', 'KeyWW', 'constructor', '']) assert.equal(isKeyCode(code), false);
});
