import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMadeUp, nameFile } from './name-file.ts';

const PLACES = { workingFolder: '/home/jane/game', programFolder: '/opt/game/bin' };

test('nameFile: relative to the working folder, else to the executable, else the file name', () => {
  assert.equal(nameFile('/home/jane/game/art/rock.png', PLACES), 'art/rock.png');
  assert.equal(nameFile('/opt/game/bin/data/level.pak', PLACES), 'data/level.pak');
  assert.equal(nameFile('/home/jane/secret/notes.txt', PLACES), 'notes.txt');
  assert.equal(nameFile('/home/jane/game-old/rock.png', PLACES), 'rock.png');
});

test('nameFile: a working folder that is the root reveals no absolute path', () => {
  const places = { workingFolder: '/', programFolder: null };
  assert.equal(nameFile('/home/jane/game/art/rock.png', places), 'rock.png');
});

test('nameFile: a relative name is kept if it does not leave the folder', () => {
  assert.equal(nameFile('./art//rock.png', PLACES), 'art/rock.png');
  assert.equal(nameFile('../../jane/rock.png', PLACES), 'rock.png');
});

test('nameFile: the mark of a deleted file is not part of its name', () => {
  assert.equal(nameFile('/home/jane/game/art/rock.png (deleted)', PLACES), 'art/rock.png');
});

test('isMadeUp accepts paths that are not on disk, and no similar names', () => {
  for (const path of ['/proc/7/maps', '/sys/x', '/dev/shm/a', '/memfd:pool (deleted)'])
    assert.equal(isMadeUp(path), true, path);
  for (const path of ['/process/a', '/home/dev/a', 'art/rock.png', '/opt/sys/a'])
    assert.equal(isMadeUp(path), false, path);
});
