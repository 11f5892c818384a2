// Exceptions of the page, and of objects that the game passes. The game must not see them, and the recording must still end.
import './fake-clock.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as core from '../src/core.ts';
import * as svc from '../src/index.ts';
import { fakeContexts, methodsOf } from './fake-gl.ts';
import { type Line, Page, setGlobal } from './recorded.ts';

const PARTS = {
  frames: false,
  longTasks: false,
  memory: false,
  resources: false,
  images: false,
  audio: false,
  webgpu: false,
} as const;

const fault = (): never => {
  throw new Error('of the page');
};

/** A page whose timers a test advances. The recording ends with the test. */
function openPage(t: TestContext): void {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  t.after(() => svc.stop());
  setGlobal(t, 'document', new Page());
}

const exported = (): Line[] =>
  svc
    .exportText()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

test('exceptions of options are not visible', (t) => {
  openPage(t);
  const hostile = new Proxy({}, { get: fault });
  for (const start of [svc.start, core.start]) {
    assert.equal(Reflect.apply(start, undefined, [hostile]), undefined);
    assert.notEqual(svc.status().state, 'recording');
  }
});

test('exceptions of a note or an object of the game are not visible', (t) => {
  openPage(t);
  svc.start({ parts: { ...PARTS, functions: false, webgl: false } });
  const hostile = new Proxy({}, { get: fault, has: fault });
  assert.equal(Reflect.apply(svc.asset, undefined, ['rock.png', hostile]), undefined);
  assert.equal(svc.asset(hostile, { name: 'rock' }), undefined);
  svc.mark('after');
  assert.deepEqual(
    exported().map(({ type }) => type),
    [undefined, 'mark'],
  );
});

test('a sound is decoded and passed to the game if its data or its size cannot be read', async (t) => {
  const heard: unknown[] = [];
  const hostile = new Proxy({}, { get: fault, has: fault, getPrototypeOf: fault });
  class Context {
    async decodeAudioData(_encoded: unknown, done?: (sound: unknown) => void): Promise<unknown> {
      done?.(hostile);
      return 'decoded';
    }
  }
  setGlobal(t, 'AudioBuffer', class {});
  setGlobal(t, 'BaseAudioContext', Context);
  openPage(t);
  svc.start({ parts: { ...PARTS, webgl: false, audio: true } });
  const context = new Context();
  const take = (sound: unknown) => heard.push(sound);
  assert.equal(await context.decodeAudioData(hostile, take), 'decoded');
  assert.equal(heard.length, 1);
  assert.equal(heard[0], hostile);
});

test('a recording ends and restores the page if the page’s clearInterval throws', (t) => {
  openPage(t);
  fakeContexts(t);
  const before = methodsOf(WebGL2RenderingContext.prototype);
  svc.start({ parts: PARTS });
  assert.notDeepEqual(methodsOf(WebGL2RenderingContext.prototype), before);
  setGlobal(t, 'clearInterval', fault);
  svc.stop();
  assert.equal(svc.status().state, 'stopped');
  assert.deepEqual(methodsOf(WebGL2RenderingContext.prototype), before);
  assert.equal(exported().at(-1)?.['type'], 'end');
});
