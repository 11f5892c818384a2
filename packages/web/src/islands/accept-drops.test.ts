import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptDrops } from './accept-drops.ts';

test('dropped files are accepted, and other drops are left to the browser', () => {
  const marks = new Set<string>();
  const toggle = (name: string, on: boolean): void => {
    if (on) marks.add(name);
    else marks.delete(name);
  };
  const element = Object.assign(new EventTarget(), { classList: { toggle } });
  const taken: unknown[] = [];
  acceptDrops(element as unknown as HTMLElement, (files) => taken.push(files));
  const send = (type: string, dataTransfer: unknown): boolean =>
    !element.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), { dataTransfer }));
  assert.equal(send('dragover', { types: ['text/plain'] }), false);
  assert.equal(send('dragover', null), false);
  assert.deepEqual([...marks], []);
  assert.equal(send('dragover', { types: ['Files'] }), true);
  assert.deepEqual([...marks], ['dropping']);
  send('dragleave', null);
  assert.deepEqual([...marks], []);
  send('dragover', { types: ['Files'] });
  assert.equal(send('drop', { files: [] }), false);
  assert.deepEqual([[...marks], taken.length], [[], 0]);
  const files = [new File([], 'a.png')];
  assert.equal(send('drop', { files }), true);
  assert.deepEqual(taken, [files]);
  assert.equal(send('drop', { files: [], items: [{ kind: 'string' }] }), false);
  assert.equal(send('drop', { files: [], items: [{ kind: 'file' }] }), true);
  assert.deepEqual(taken, [files, []]);
});
