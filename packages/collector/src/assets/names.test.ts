// The names that a trace may contain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf, nameOfScript, nameOfUrl } from './names.ts';

test('nameOfUrl keeps only the host and the path', () => {
  assert.equal(
    nameOfUrl('https://me:secret@cdn.example.com/art/rock.png?token=1#x'),
    'cdn.example.com/art/rock.png',
  );
  assert.equal(nameOfUrl('art/rock.png?v=3'), 'art/rock.png');
  assert.equal(nameOfUrl('file:///home/me/game/rock.png'), 'rock.png');
  assert.equal(nameOfUrl('C:\\Users\\me\\rock.png'), 'rock.png');
  assert.equal(nameOfUrl('data:image/png;base64,AAAA'), null);
  assert.equal(nameOfUrl('blob:https://example.com/5c1a'), null);
  assert.equal(nameOfUrl('DATA:image/png;base64,AAAA'), null);
  assert.equal(nameOfUrl('BLOB:https://example.com/5c1a'), null);
  assert.equal(nameOfUrl('WSS://me:secret@example.com/socket'), 'example.com/socket');
  assert.equal(nameOfUrl('data/blob:1.png'), 'data/blob:1.png');
  assert.equal(nameOfUrl(`https://example.com/${'a'.repeat(10_000)}`)?.length, 512);
});

test('nameOfUrl omits only the origin of the page itself', (t) => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'location');
  t.after(() => {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'location');
    else Object.defineProperty(globalThis, 'location', before);
  });
  const value = { origin: 'https://game.example' };
  Object.defineProperty(globalThis, 'location', { value, configurable: true });
  assert.equal(nameOfUrl('https://game.example/art/rock.png?v=3'), 'art/rock.png');
  assert.equal(nameOfUrl('https://me:secret@game.example/art/rock.png'), 'art/rock.png');
  assert.equal(nameOfUrl('https://game.example/?level=2'), '(page)');
  assert.equal(nameOfUrl('https://game.example.net/a.png'), 'game.example.net/a.png');
  assert.equal(nameOfUrl('http://game.example/a.png'), 'game.example/a.png');
  assert.equal(nameOfScript('https://game.example/game.js', 'update', ''), 'update game.js');
});

test('nameOfScript returns the function and its file, or the invoker', () => {
  const script = 'https://example.com/game.js?v=1';
  assert.equal(
    nameOfScript(script, 'update', 'FrameRequestCallback'),
    'update example.com/game.js',
  );
  assert.equal(
    nameOfScript(script, '', 'IMG[src="https://example.com/rock.png?t=1"].onload'),
    'IMG[src="example.com/rock.png"].onload example.com/game.js',
  );
  assert.equal(
    nameOfScript(script, '', 'a HTTPS://me@example.com/x?y b <wss://me@h/z> data:,x'),
    'a example.com/x b <h/z> data: example.com/game.js',
  );
  assert.equal(nameOfScript('', '', 'TimerHandler:setTimeout'), 'TimerHandler:setTimeout');
  assert.equal(nameOfScript('blob:https://example.com/5c1a', 'update', ''), 'update');
  assert.equal(nameOfScript(script, '', script), 'example.com/game.js');
  assert.equal(nameOfScript('', '', ''), 'unknown script');
});

test('nameOf cuts a long name, and returns the fallback for an empty one', () => {
  assert.equal(nameOf('x'.repeat(10_000), 'none').length, 512);
  assert.equal(nameOf('  rock  ', 'none'), 'rock');
  assert.equal(nameOf('/home/me/rock.png', 'none'), 'rock.png');
  assert.equal(nameOf('  ', 'none'), 'none');
  assert.equal(nameOf(12, 'none'), 'none');
  assert.equal(nameOf('broken \ud800 text', 'none'), 'broken \ufffd text');
});
