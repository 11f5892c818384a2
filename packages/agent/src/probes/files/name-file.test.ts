import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMadeUp, nameFile } from './name-file.ts';

const PLACES = { workingFolder: '/home/jane/game', programFolder: '/opt/game/bin' };

test('nameFile: below the working folder, else below the executable, else the last part', () => {
  assert.equal(nameFile('/home/jane/game/art/rock.png', PLACES), 'art/rock.png');
  assert.equal(nameFile('/opt/game/bin/data/level.pak', PLACES), 'data/level.pak');
  assert.equal(nameFile('/home/jane/secret/notes.txt', PLACES), 'notes.txt');
  assert.equal(nameFile('/home/jane/game-old/rock.png', PLACES), 'rock.png');
});

test('nameFile: a working folder that is the root gives nothing away', () => {
  const places = { workingFolder: '/', programFolder: null };
  assert.equal(nameFile('/home/jane/game/art/rock.png', places), 'rock.png');
});

test('nameFile: a relative name stays where it does not leave the folder', () => {
  assert.equal(nameFile('./art//rock.png', PLACES), 'art/rock.png');
  assert.equal(nameFile('../../jane/rock.png', PLACES), 'rock.png');
});

test('nameFile: the mark of a deleted file is no part of its name', () => {
  assert.equal(nameFile('/home/jane/game/art/rock.png (deleted)', PLACES), 'art/rock.png');
});

test('isMadeUp: what stands on no disk, and nothing that only looks like it', () => {
  for (const path of ['/proc/7/maps', '/sys/x', '/dev/shm/a', '/memfd:pool (deleted)'])
    assert.equal(isMadeUp(path), true, path);
  for (const path of ['/process/a', '/home/dev/a', 'art/rock.png', '/opt/sys/a'])
    assert.equal(isMadeUp(path), false, path);
});
