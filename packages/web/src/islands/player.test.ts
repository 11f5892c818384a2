import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StandInElement } from '../../test/stand-in-dom.ts';
import { startPlayer } from './player.ts';

type Opened = {
  readonly framed?: boolean;
  /** A phone, and whether its browser has full screen. */
  readonly phone?: boolean;
  readonly fullscreenEnabled?: boolean;
  readonly orientation?: string;
};

function open(isolated: 'yes' | 'no' = 'no', more: Opened = {}) {
  const { phone = false, fullscreenEnabled = true, orientation } = more;
  /** What the page asked of the browser. */
  const asked: string[] = [];
  const matchMedia = () => ({ matches: phone });
  Object.assign(globalThis, { window: { crossOriginIsolated: false, matchMedia } });
  Object.assign(document, { fullscreenEnabled });
  const lock = async (turned: string) => void asked.push(`turn to ${turned}`);
  Object.assign(globalThis, { screen: { orientation: { lock } } });
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
  const leave = new StandInElement('button', { hidden: true, dataset: { leave: '' } });
  const hint = classed('p', 'player-hint');
  const dataset = {
    ...{ title: 'Night', allow: 'gamepad', url: 'https://game.example/', isolated },
    ...(orientation !== undefined && { orientation }),
  };
  const section = new StandInElement('section', { dataset }, stage, stop, full, leave, hint);
  Object.assign(stage, { requestFullscreen: async () => void asked.push('full screen') });
  Object.assign(section, { scrollIntoView: () => asked.push('into view') });
  startPlayer(section.element);
  return { link, stage, stop, full, leave, hint, section, poster, asked };
}

test('a click inserts the game’s frame and brings it into view; it receives the focus after it has loaded', () => {
  const { link, stage, stop, full, hint, section, asked } = open();
  assert.equal(link.send('click'), true);
  const [frame] = stage.children;
  assert.deepEqual(
    [frame?.tag, frame?.title, frame?.allow, frame?.src, frame?.allowFullscreen],
    ['iframe', 'Night', 'gamepad', 'https://game.example/', true],
  );
  assert.deepEqual([stop.hidden, full.hidden, hint.textContent], [false, false, '']);
  assert.ok(section.classes.has('playing'));
  assert.deepEqual(asked, ['into view']);
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

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('on a phone a click opens the game in full screen, turned as its owner chose', async () => {
  for (const [orientation, turned] of [
    ['landscape', ['turn to landscape']],
    [undefined, []],
  ] as const) {
    const more = { phone: true, ...(orientation !== undefined && { orientation }) };
    const { link, asked, full, leave, section } = open('no', more);
    link.send('click');
    await settled();
    assert.deepEqual(asked, ['into view', 'full screen', ...turned]);
    assert.deepEqual([full.hidden, leave.hidden], [false, true]);
    assert.equal(section.classes.has('filling'), false);
  }
});

test('a phone without full screen shows the game in its whole window until the visitor leaves that', async () => {
  const { link, asked, full, leave, section, stage } = open('no', {
    ...{ phone: true, fullscreenEnabled: false, orientation: 'landscape' },
  });
  link.send('click');
  await settled();
  assert.deepEqual(asked, ['into view'], 'the screen can only be turned in full screen');
  assert.ok(section.classes.has('filling'));
  assert.deepEqual([full.hidden, leave.hidden], [false, false]);
  leave.send('click');
  assert.equal(section.classes.has('filling'), false);
  assert.equal(leave.hidden, true);
  assert.equal(StandInElement.focused, stage.children[0]);
  full.send('click');
  await settled();
  assert.ok(section.classes.has('filling'));
});

test('a game plays in the page if a phone rejects full screen or the orientation', async () => {
  const refused = open('no', { phone: true });
  Object.assign(refused.stage, { requestFullscreen: () => Promise.reject(new Error('no')) });
  refused.link.send('click');
  await settled();
  assert.equal(refused.stage.children[0]?.tag, 'iframe');
  assert.equal(refused.hint.textContent, '');
  const fixed = open('no', { phone: true, orientation: 'portrait' });
  Object.assign(globalThis, {
    screen: { orientation: { lock: () => Promise.reject(new Error('no')) } },
  });
  fixed.link.send('click');
  await settled();
  assert.deepEqual(fixed.asked, ['into view', 'full screen']);
});

test('Stop ends the view of the whole window', async () => {
  const { link, stop, leave, section } = open('no', { phone: true, fullscreenEnabled: false });
  link.send('click');
  await settled();
  stop.send('click');
  assert.equal(section.classes.has('filling'), false);
  assert.equal(leave.hidden, true);
});

test('a computer without full screen has no button for it', () => {
  const { link, full } = open('no', { fullscreenEnabled: false });
  link.send('click');
  assert.equal(full.hidden, true);
});
