import assert from 'node:assert/strict';
import { test } from 'node:test';
import { body, StandInElement } from '../../test/stand-in-dom.ts';
import { openGallery } from './gallery.ts';

const links = ['a', 'b', 'c'].map((name) => {
  const image = new StandInElement('img', { alt: `alt ${name}` });
  return new StandInElement(
    'a',
    { href: `/${name}.png`, dataset: { caption: `caption ${name}` } },
    image,
  );
});
openGallery(new StandInElement('ul', {}, ...links).element);
const dialog = body.querySelector('dialog') ?? assert.fail('there is a dialog');

function shown(): (string | undefined)[] {
  const [image, caption, count] = ['img', 'figcaption', 'span'].map((tag) =>
    dialog.querySelector(tag),
  );
  return [image?.src, image?.alt, caption?.textContent, count?.textContent];
}

const pictures = [1, 2, 3].map((place, index) => {
  const name = 'abc'.charAt(index);
  return [`/${name}.png`, `alt ${name}`, `caption ${name}`, `${place} of 3`];
});

test('a click on an image opens it with its caption and position', () => {
  assert.equal(dialog.isOpen, false);
  assert.equal(links[1]?.send('click'), true);
  assert.equal(dialog.isOpen, true);
  assert.deepEqual(shown(), pictures[1]);
});

test('buttons and keys move through the images and wrap around', () => {
  links[0]?.send('click');
  const [previous, next] = dialog.querySelectorAll('button');
  previous?.send('click');
  assert.deepEqual(shown(), pictures[2]);
  next?.send('click');
  assert.deepEqual(shown(), pictures[0]);
  for (const [key, index] of [
    ['ArrowRight', 1],
    ['End', 2],
    ['ArrowRight', 0],
    ['ArrowLeft', 2],
    ['Home', 0],
  ] as const) {
    assert.equal(dialog.send('keydown', { key }), true);
    assert.deepEqual(shown(), pictures[index], key);
  }
  assert.equal(dialog.send('keydown', { key: 'Tab' }), false);
});

test('the viewer closes by its button or a click outside, and focuses the link of the last image', () => {
  links[0]?.send('click');
  dialog.send('keydown', { key: 'ArrowRight' });
  const close = dialog
    .querySelectorAll('button')
    .find(({ textContent }) => textContent === 'Close');
  close?.send('click');
  assert.equal(dialog.isOpen, false);
  assert.equal(StandInElement.focused, links[1]);
  links[2]?.send('click');
  dialog.send('click');
  assert.deepEqual([dialog.isOpen, StandInElement.focused], [false, links[2]]);
});

test('a click with a modifier key is left to the browser, and a list without images is unchanged', () => {
  for (const held of ['ctrlKey', 'metaKey', 'shiftKey']) {
    assert.equal(links[0]?.send('click', { [held]: true }), false, held);
  }
  assert.equal(dialog.isOpen, false);
  const before = body.children.length;
  openGallery(new StandInElement('ul').element);
  assert.equal(body.children.length, before);
});
