// The frame of a game: isolation, full screen, gamepads, sound, keyboard, and denied permissions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import { until } from '../../scripts/until.ts';
import { noBrowser, openStore } from './open-store.ts';

const THREADS = `<!doctype html><title>game</title><button id="full">full</button><script>
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  addEventListener('keydown', ({ key }) => { document.title = key; });
  full.onclick = () => document.documentElement.requestFullscreen();
</script>`;

test('the frame of a threaded game is isolated, and has only the permissions for full screen, gamepads and autoplay', {
  skip: noBrowser,
}, async () => {
  await using store = await openStore();
  const { client } = await store.site.developer('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Framed' } });
  await publishBuild(client, game.id, '1.0.0', { 'index.html': THREADS });
  const page = await store.visitor();
  await page.goto(`${store.site.origin}/games/framed`);
  await page.getByRole('link', { name: 'Play', exact: true }).click();
  const inside = page.frameLocator('iframe').locator('html');
  await page.frameLocator('iframe').getByRole('button', { name: 'full' }).waitFor();
  const may = await inside.evaluate(async () => {
    const policy: { allowsFeature(name: string): boolean } = Reflect.get(document, 'featurePolicy');
    const audio = new AudioContext();
    await audio.resume();
    return {
      isolated: crossOriginIsolated,
      gamepads: navigator.getGamepads().length > 0,
      sound: audio.state,
      allowed: ['fullscreen', 'gamepad', 'autoplay', 'cross-origin-isolated'].filter((name) =>
        policy.allowsFeature(name),
      ),
      refused: ['camera', 'microphone', 'geolocation', 'payment', 'usb'].filter((name) =>
        policy.allowsFeature(name),
      ),
    };
  });
  assert.deepEqual(may, {
    isolated: true,
    gamepads: true,
    sound: 'running',
    allowed: ['fullscreen', 'gamepad', 'autoplay', 'cross-origin-isolated'],
    refused: [],
  });
  // The frame receives the focus after it has loaded.
  await page.waitForFunction(() => document.activeElement?.localName === 'iframe');
  await page.keyboard.press('z');
  await until(
    () => inside.evaluate(() => document.title),
    (title) => title === 'z',
    'the game gets the key',
  );
  await page.frameLocator('iframe').getByRole('button', { name: 'full' }).click();
  await page.waitForFunction(() => document.fullscreenElement?.localName === 'iframe');
  assert.deepEqual(store.faults, []);
});

test('a game without a background is readable in each theme of the page', {
  skip: noBrowser,
}, async () => {
  await using store = await openStore();
  const { client } = await store.site.developer('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Bare' } });
  await publishBuild(client, game.id, '1.0.0', { 'index.html': '<title>g</title><p>words' });
  const grounds: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await store.visitor({ colorScheme });
    await page.goto(`${store.site.origin}/games/bare?play=1`);
    const frame = page.locator('iframe');
    // If page and game have the same theme, the browser shows the frame's background behind the game.
    grounds.push(await frame.evaluate((element) => getComputedStyle(element).backgroundColor));
  }
  assert.deepEqual(grounds, ['rgb(255, 255, 255)', 'rgb(18, 18, 18)']);
});
