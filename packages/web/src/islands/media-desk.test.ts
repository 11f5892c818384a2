import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { newest, sent } from '../../test/stand-in-upload.ts';
import { type MediaPanel, openDesk } from './media-desk.ts';

const EMPTY = { cover: null, banner: null, trailer: null, screenshots: [] };
const PANEL: MediaPanel = {
  base: '/dashboard/pages/7',
  slots: [],
  screenshots: { accept: 'image/png', most: 10, hint: '' },
  altCharacters: 100,
  page: EMPTY,
};
const REFUSED = { error: { message: 'It is no picture.', details: [{ message: 'Not a PNG' }] } };

beforeEach(() => {
  sent.length = 0;
});

function open() {
  let changes = 0;
  const desk = openDesk(PANEL, () => changes++);
  const states = () =>
    desk.uploads.value.map(({ target, file, state }) => [target, file.name, state]);
  const upload = (index: number) => {
    const one = desk.uploads.value[index];
    assert.ok(one);
    return one;
  };
  return { desk, states, upload, changes: () => changes };
}

const fileOf = (name: string): File => new File(['x'], name);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function answer(status: number, body: unknown): Promise<void> {
  newest().answer(status, body);
  await turn();
}

test('files go up one after the other, each in its place, and show how far they are', async () => {
  const { desk, states, changes } = open();
  desk.add('screenshots', [fileOf('a.png'), fileOf('b.png')]);
  assert.equal(sent.length, 1);
  const [request] = sent;
  assert.ok(request?.body instanceof FormData);
  assert.equal(request.address, '/dashboard/pages/7/media');
  assert.deepEqual([...request.body.keys()], ['metadata', 'screenshots']);
  request.progress(1, 2);
  assert.deepEqual(states(), [
    ['screenshots', 'a.png', { share: 0.5 }],
    ['screenshots', 'b.png', 'waiting'],
  ]);
  const page = { screenshots: [{ id: 1 }] };
  await answer(200, { page });
  assert.deepEqual(states(), [['screenshots', 'b.png', { share: 0 }]]);
  assert.deepEqual(desk.page.value, { ...EMPTY, ...page });
  assert.deepEqual([desk.said.value, changes()], ['a.png is there.', 1]);
  await answer(200, { page });
  assert.deepEqual([states(), sent.length, changes()], [[], 2, 2]);
});

test('a file that is refused stays with the reason, the next goes up, and it may be tried again', async () => {
  const { desk, states, upload, changes } = open();
  desk.add('screenshots', [fileOf('a.png'), fileOf('b.png')]);
  await answer(422, REFUSED);
  assert.deepEqual(states()[0], [
    'screenshots',
    'a.png',
    { refused: 'It is no picture. Not a PNG' },
  ]);
  assert.equal(sent.length, 2);
  await answer(200, {});
  assert.deepEqual([changes(), states().length], [1, 1]);
  desk.again(upload(0));
  assert.equal(sent.length, 3);
  newest().fail();
  await turn();
  const [, , state] = states()[0] ?? [];
  assert.match(JSON.stringify(state), /can’t be reached/);
  desk.again(upload(0));
  await answer(401, {});
  assert.match(JSON.stringify(states()[0]), /sign in in another tab/);
  desk.stop(upload(0));
  assert.deepEqual(states(), [], 'what was refused is dismissed');
});

test('a place takes one file; a new one replaces what was refused there, and nothing elsewhere', async () => {
  const { desk, states } = open();
  desk.add('cover', [fileOf('a.png'), fileOf('b.png')]);
  assert.equal(states().length, 1);
  await answer(422, REFUSED);
  desk.add('banner', [fileOf('c.png')]);
  await answer(422, REFUSED);
  desk.add('screenshots', [fileOf('d.png')]);
  await answer(422, REFUSED);
  desk.add('screenshots', [fileOf('e.png')]);
  await answer(422, REFUSED);
  desk.add('cover', [fileOf('f.png')]);
  assert.deepEqual(
    states().map(([target, name]) => [target, name]),
    [
      ['banner', 'c.png'],
      ['screenshots', 'd.png'],
      ['screenshots', 'e.png'],
      ['cover', 'f.png'],
    ],
  );
  await answer(200, {});
});

test('files that are added while one is on its way wait for it, in the order in which they came', async () => {
  const { desk, states } = open();
  desk.add('screenshots', [fileOf('a.png')]);
  desk.add('cover', [fileOf('b.png')]);
  desk.add('cover', [fileOf('c.png')]);
  assert.equal(sent.length, 1);
  assert.deepEqual(
    states().map(([, name]) => name),
    ['a.png', 'b.png', 'c.png'],
  );
  for (let answers = 0; answers < 3; answers++) await answer(200, {});
  assert.deepEqual(
    sent.map(
      ({ body }) =>
        body instanceof FormData &&
        [...body.values()].map((part) => (part instanceof File ? part.name : part)),
    ),
    [
      ['{}', 'a.png'],
      ['{}', 'b.png'],
      ['{}', 'c.png'],
    ],
  );
});

test('a new file for a place whose file is on its way waits, and the first is still shown and can be stopped', async () => {
  const { desk, states, upload } = open();
  desk.add('cover', [fileOf('a.png')]);
  desk.add('cover', [fileOf('b.png')]);
  assert.deepEqual(states(), [
    ['cover', 'a.png', { share: 0 }],
    ['cover', 'b.png', 'waiting'],
  ]);
  desk.stop(upload(0));
  await turn();
  assert.deepEqual(states(), [['cover', 'b.png', { share: 0 }]]);
  await answer(200, {});
  assert.deepEqual(states(), []);
});

test('what waits is taken back at once; what is on its way is stopped, and the next goes up', async () => {
  const { desk, states, upload, changes } = open();
  desk.add('screenshots', [fileOf('a.png'), fileOf('b.png'), fileOf('c.png')]);
  desk.stop(upload(1));
  assert.deepEqual(
    states().map(([, name]) => name),
    ['a.png', 'c.png'],
  );
  desk.stop(upload(0));
  await turn();
  assert.deepEqual(states(), [['screenshots', 'c.png', { share: 0 }]]);
  assert.deepEqual([sent.length, changes()], [2, 0]);
  await answer(200, {});
});

test('what was arranged is announced; a refusal is shown until the next action', async () => {
  const { desk, changes } = open();
  const arranged = desk.arrange({ move: '5', to: '0' }, 'It is first now.');
  const { address, body } = newest();
  assert.deepEqual([address, String(body)], ['/dashboard/pages/7/arrange', 'move=5&to=0']);
  await answer(409, { error: { message: 'It is gone.' } });
  await arranged;
  assert.deepEqual([desk.fault.value, desk.said.value, changes()], ['It is gone.', '', 0]);
  const again = desk.arrange({ move: '5', to: '0' }, 'It is first now.');
  await answer(200, { page: { screenshots: [], cover: { id: 9 } } });
  await again;
  assert.deepEqual([desk.fault.value, desk.said.value, changes()], [null, 'It is first now.', 1]);
  assert.deepEqual(desk.page.value, { ...EMPTY, cover: { id: 9 } });
});

test('an answer without a page leaves the pictures as they were', async () => {
  const { desk } = open();
  for (const told of [{}, { page: null }, { page: { cover: { id: 1 } } }, 'text']) {
    const arranged = desk.arrange({ remove: '5' }, 'Removed.');
    await answer(200, told);
    await arranged;
    assert.deepEqual(desk.page.value, EMPTY);
  }
});
