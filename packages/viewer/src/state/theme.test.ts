import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page } from '../../test/stand-in-page.ts';

type Theme = typeof import('./theme.ts');
let loads = 0;

/** Loads the module like a page, with what was stored before. */
async function load(kept: string | null): Promise<Theme> {
  page.localStorage.items.clear();
  if (kept !== null) page.localStorage.items.set('svc-theme', kept);
  const name: string = `./theme.ts?${++loads}`;
  return import(name);
}

const onPage = (): string | undefined => document.documentElement.dataset['theme'];

test('the theme is the system’s until the user chooses one, which is stored', async () => {
  const first = await load(null);
  first.startTheme();
  assert.deepEqual(
    [first.themeChoice.value, first.theme.value, onPage()],
    ['system', 'light', undefined],
  );
  const chosen = [0, 1, 2].map(() => {
    first.nextTheme();
    return [first.themeChoice.value, onPage(), page.localStorage.getItem('svc-theme')];
  });
  assert.deepEqual(chosen, [
    ['light', 'light', 'light'],
    ['dark', 'dark', 'dark'],
    ['system', undefined, 'system'],
  ]);
  const kept = await load('dark');
  assert.equal(kept.theme.value, 'dark');
  kept.startTheme();
  assert.equal(onPage(), 'dark');
});

test('the theme follows the system unless the user chose one', async () => {
  const theme = await load(null);
  theme.startTheme();
  const turn = (matches: boolean): void => {
    page.dark.matches = matches;
    page.dark.dispatchEvent(new Event('change'));
  };
  turn(true);
  assert.equal(theme.theme.value, 'dark');
  theme.nextTheme();
  assert.equal(theme.themeChoice.value, 'light');
  assert.equal(theme.theme.value, 'light');
  theme.nextTheme();
  theme.nextTheme();
  assert.equal(theme.themeChoice.value, 'system');
  turn(false);
  assert.equal(theme.theme.value, 'light');
});

test('an invalid stored theme is ignored, and full storage is not an error', async (t) => {
  const theme = await load('sepia');
  assert.equal(theme.themeChoice.value, 'system');
  page.localStorage.isFull = true;
  t.after(() => {
    page.localStorage.isFull = false;
  });
  theme.nextTheme();
  theme.nextTheme();
  assert.deepEqual([theme.theme.value, onPage()], ['dark', 'dark']);
  const forbidden = t.mock.method(page.localStorage, 'getItem', () => {
    throw new DOMException('forbidden', 'SecurityError');
  });
  assert.equal((await load(null)).themeChoice.value, 'system');
  assert.equal(forbidden.mock.callCount(), 1);
});
