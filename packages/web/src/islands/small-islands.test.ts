import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { body, StandInElement } from '../../test/stand-in-dom.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs an island's script on a page with these elements. */
async function run(t: TestContext, script: string, ...elements: StandInElement[]): Promise<void> {
  body.replaceChildren(...elements);
  t.after(() => body.replaceChildren());
  const name: string = `./${script}?${t.name}`;
  await import(name);
}

function clipboard(writeText: ((text: string) => Promise<void>) | null): void {
  const value = writeText === null ? {} : { clipboard: { writeText } };
  Object.defineProperty(globalThis, 'navigator', { value, configurable: true });
}

test('`?done=` and its link, versions or publisher are removed from the address, and the rest is unchanged', async (t) => {
  const replaced: string[] = [];
  Object.assign(globalThis, {
    location: {
      href: 'https://store.example/page?tab=2&done=staged&link=a&version=1&replaced=0&publisher=b#top',
    },
    history: {
      state: 7,
      replaceState: (state: unknown, _: string, to: URL) => replaced.push(`${state} ${to}`),
    },
  });
  await run(t, 'done.ts');
  assert.deepEqual(replaced, ['7 https://store.example/page?tab=2#top']);
  Object.assign(globalThis, { location: { href: 'https://store.example/page?tab=2' } });
  const name: string = './done.ts?without';
  await import(name);
  assert.equal(replaced.length, 1);
});

test('a copy button copies the text of its source and says so for a while, or selects it if copying is denied', async (t) => {
  const copied: string[] = [];
  let isAllowed = true;
  clipboard(async (text) => {
    if (!isAllowed) throw new Error('refused');
    copied.push(text);
  });
  const selected: unknown[] = [];
  Object.assign(globalThis, {
    getSelection: () => ({ selectAllChildren: (node: unknown) => selected.push(node) }),
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const copyButton = (source: string, hidden: string): StandInElement => {
    const visible = new StandInElement('text', { textContent: 'Copy' });
    const rest = new StandInElement('span', { textContent: hidden });
    return new StandInElement('button', { hidden: true, dataset: { copy: source } }, visible, rest);
  };
  const button = copyButton('code', ' the link of A');
  const other = copyButton('pre', ' the link of B');
  const lost = new StandInElement('button', { hidden: true, dataset: { copy: 'i' } });
  const source = new StandInElement('code', { textContent: 'the text' });
  const second = new StandInElement('pre', { textContent: 'another' });
  await run(t, 'copy.ts', button, other, lost, source, second);
  assert.deepEqual([button.hidden, other.hidden, lost.hidden], [false, false, true]);
  const status = body.children.at(-1);
  assert.equal(status?.attributes.get('role'), 'status');
  const texts = () => [button, other, status].map((element) => element?.textContent);
  const before = ['Copy the link of A', 'Copy the link of B', ''];
  isAllowed = false;
  button.send('click');
  await turn();
  assert.deepEqual([copied, selected, texts()], [[], [source], before]);
  isAllowed = true;
  button.send('click');
  await turn();
  const copiedA = 'Copied the link of A';
  assert.deepEqual([copied, texts()], [['the text'], [copiedA, 'Copy the link of B', copiedA]]);
  t.mock.timers.tick(1500);
  other.send('click');
  await turn();
  const copiedB = 'Copied the link of B';
  assert.deepEqual(copied, ['the text', 'another']);
  assert.deepEqual(texts(), ['Copy the link of A', copiedB, copiedB]);
  t.mock.timers.tick(1999);
  assert.deepEqual(texts(), ['Copy the link of A', copiedB, copiedB]);
  t.mock.timers.tick(1);
  assert.deepEqual(texts(), before);
});

test('a browser without a clipboard API shows no button', async (t) => {
  clipboard(null);
  const button = new StandInElement('button', { hidden: true, dataset: { copy: 'code' } });
  await run(t, 'copy.ts', button, new StandInElement('code'));
  assert.equal(button.hidden, true);
});

test('the newest selected image is previewed, and a file that is not an image is reported', async (t) => {
  const images: StandInElement[] = [];
  class StandInImage extends StandInElement {
    constructor() {
      super('img');
      images.push(this);
    }
  }
  const held = new Set<string>();
  t.mock.method(URL, 'createObjectURL', (file: File) => {
    held.add(file.name);
    return file.name;
  });
  t.mock.method(URL, 'revokeObjectURL', (address: string) => held.delete(address));
  Object.assign(globalThis, { Image: StandInImage });
  const input = new StandInElement('input', { type: 'file', files: [] });
  const said = new StandInElement('p', { dataset: { message: '' } });
  const form = new StandInElement('form', { dataset: { picture: '' } }, input, said);
  const before = new StandInElement('img');
  const place = new StandInElement('div', { dataset: { preview: '' } }, before);
  await run(t, 'profile.ts', form, place);
  assert.deepEqual([place.children, said.textContent], [[before], '']);
  const choose = (name: string | null): void => {
    input.files = name === null ? [] : [new File([], name)];
    input.send('change');
  };
  choose('first.png');
  choose('second.png');
  images[0]?.send('load');
  assert.deepEqual(place.children, [before], 'a newer file was selected');
  images[1]?.send('load');
  assert.deepEqual(place.children, [images[1]]);
  assert.match(said.textContent, /not saved until you upload it/);
  choose('broken.png');
  images[2]?.send('error');
  assert.deepEqual(place.children, [before]);
  assert.match(said.textContent, /not an image/);
  choose(null);
  assert.deepEqual([place.children, said.textContent, held.size], [[before], '', 0]);
});
