// Names as they may stand in a trace.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf, nameOfScript, nameOfUrl } from './names.ts';

test('nameOfUrl keeps host and path, nothing else', () => {
  assert.equal(
    nameOfUrl('https://me:secret@cdn.example.com/art/rock.png?token=1#x'),
    'cdn.example.com/art/rock.png',
  );
  assert.equal(nameOfUrl('art/rock.png?v=3'), 'art/rock.png');
  assert.equal(nameOfUrl('file:///home/me/game/rock.png'), 'rock.png');
  assert.equal(nameOfUrl('C:\\Users\\me\\rock.png'), 'rock.png');
  assert.equal(nameOfUrl('data:image/png;base64,AAAA'), null);
  assert.equal(nameOfUrl('blob:https://example.com/5c1a'), null);
});

test('nameOfScript tells the function and its file, or what called it', () => {
  const script = 'https://example.com/game.js?v=1';
  assert.equal(
    nameOfScript(script, 'update', 'FrameRequestCallback'),
    'update example.com/game.js',
  );
  assert.equal(
    nameOfScript(script, '', 'IMG[src="https://example.com/rock.png?t=1"].onload'),
    'IMG[src="example.com/rock.png"].onload example.com/game.js',
  );
  assert.equal(nameOfScript(script, '', script), 'example.com/game.js');
  assert.equal(nameOfScript('', '', ''), 'unknown script');
});

test('nameOf cuts what is too long and falls back where nothing is left', () => {
  assert.equal(nameOf('x'.repeat(10_000), 'none').length, 512);
  assert.equal(nameOf('  ', 'none'), 'none');
  assert.equal(nameOf(12, 'none'), 'none');
  assert.equal(nameOf('broken \ud800 text', 'none'), 'broken \ufffd text');
});
