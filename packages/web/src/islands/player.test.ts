import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StandInElement } from '../../test/stand-in-dom.ts';
import { startPlayer } from './player.ts';

function open(isolated: 'yes' | 'no' = 'no', more: { framed?: boolean } = {}) {
  const classed = (tag: string, name: string, ...children: StandInElement[]): StandInElement => {
    const element = new StandInElement(tag, {}, ...children);
    element.classes.add(name);
    return element;
  };
  const link = classed('a', 'play');
  const poster = more.framed ? new StandInElement('iframe') : link;
  const stage = classed('div', 'stage', poster);
  const stop = new StandInElement('button', { hidden: true, dataset: { stop: '' } });
  const full = new StandInElement('button', { hidden: true, dataset: { fullScreen: '' } });
  const hint = classed('p', 'player-hint');
  const dataset = { title: 'Night', allow: 'gamepad', url: 'https://game.example/', isolated };
  const section = new StandInElement('section', { dataset }, stage, stop, full, hint);
  startPlayer(section.element);
  return { link, stage, stop, full, hint, section, poster };
}

test('a click inserts the game’s frame, which receives the focus after it has loaded', () => {
  const { link, stage, stop, full, hint, section } = open();
  assert.equal(link.send('click'), true);
  const [frame] = stage.children;
  assert.deepEqual(
    [frame?.tag, frame?.title, frame?.allow, frame?.src, frame?.allowFullscreen],
    ['iframe', 'Night', 'gamepad', 'https://game.example/', true],
  );
  assert.deepEqual([stop.hidden, full.hidden, hint.textContent], [false, false, '']);
  assert.ok(section.classes.has('playing'));
  frame?.send('load');
  assert.equal(StandInElement.focused, frame);
});

test('Stop removes the frame and focuses the link', () => {
  const { link, stage, stop, full, hint, section } = open('yes');
  link.send('click');
  assert.match(hint.textContent, /in a new tab/, 'the browser can’t isolate the frame');
  stop.send('click');
  assert.deepEqual(stage.children, [link]);
  assert.deepEqual([stop.hidden, full.hidden, hint.textContent], [true, true, '']);
  assert.equal(section.classes.has('playing'), false);
  assert.equal(StandInElement.focused, link);
});

test('a click with a modifier key is left to the browser', () => {
  for (const held of ['ctrlKey', 'metaKey', 'shiftKey']) {
    const { link, stage } = open();
    assert.equal(link.send('click', { [held]: true }), false, held);
    assert.deepEqual(stage.children, [link]);
  }
});

test('an initial frame can’t be stopped, and a rejected full screen is reported', async () => {
  const { stage, stop, full, hint, poster, section } = open('no', { framed: true });
  assert.deepEqual([stage.children, stop.hidden, full.hidden], [[poster], true, false]);
  assert.ok(section.classes.has('playing'));
  let allowed = true;
  Object.assign(stage, {
    requestFullscreen: () => (allowed ? Promise.resolve() : Promise.reject(new Error('no'))),
  });
  full.send('click');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(StandInElement.focused, poster);
  assert.equal(hint.textContent, '');
  allowed = false;
  full.send('click');
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(hint.textContent, /does not allow full screen/);
});
