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

test('files are uploaded one after the other to their targets, and show their progress', async () => {
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
  assert.deepEqual([desk.announcement.value, changes()], ['a.png has been uploaded.', 1]);
  await answer(200, { page });
  assert.deepEqual([states(), sent.length, changes()], [[], 2, 2]);
});

test('a rejected file stays with its reason and can be retried, and the next file is uploaded', async () => {
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
  desk.retry(upload(0));
  assert.equal(sent.length, 3);
  newest().fail();
  await turn();
  const [, , state] = states()[0] ?? [];
  assert.match(JSON.stringify(state), /can’t be reached/);
  desk.retry(upload(0));
  await answer(401, {});
  assert.match(JSON.stringify(states()[0]), /Sign in in another tab/);
  desk.stop(upload(0));
  assert.deepEqual(states(), [], 'the rejected file is dismissed');
});

test('a slot accepts one file, which replaces a rejected file of the same slot only', async () => {
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

test('files that are added during an upload wait in their order', async () => {
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

test('a new file for a slot waits for the current upload, which stays visible and can be stopped', async () => {
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

test('a waiting file is removed at once, and a current upload is aborted before the next starts', async () => {
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

test('a successful change is announced, and an error is shown until the next action', async () => {
  const { desk, changes } = open();
  const arranged = desk.arrange({ move: '5', to: '0' }, 'It is first now.');
  const { address, body } = newest();
  assert.deepEqual([address, String(body)], ['/dashboard/pages/7/arrange', 'move=5&to=0']);
  await answer(409, { error: { message: 'It is gone.' } });
  await arranged;
  assert.deepEqual([desk.fault.value, desk.announcement.value, changes()], ['It is gone.', '', 0]);
  const again = desk.arrange({ move: '5', to: '0' }, 'It is first now.');
  await answer(200, { page: { screenshots: [], cover: { id: 9 } } });
  await again;
  assert.deepEqual(
    [desk.fault.value, desk.announcement.value, changes()],
    [null, 'It is first now.', 1],
  );
  assert.deepEqual(desk.page.value, { ...EMPTY, cover: { id: 9 } });
});

test('a response without a page leaves the media unchanged', async () => {
  const { desk } = open();
  for (const body of [{}, { page: null }, { page: { cover: { id: 1 } } }, 'text']) {
    const arranged = desk.arrange({ remove: '5' }, 'Removed.');
    await answer(200, body);
    await arranged;
    assert.deepEqual(desk.page.value, EMPTY);
  }
});
