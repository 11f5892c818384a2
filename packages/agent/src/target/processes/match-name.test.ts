import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchName, matchWholeName } from './match-name.ts';

const PROCESSES = [
  { name: 'My-Game', words: ['./My-Game', '--level', 'x'] },
  { name: 'my-game-server', words: ['/opt/my-game-server'] },
  { name: 'python3', words: ['python3', 'tools/moon.py', '--my-game'] },
  { name: 'Mine.exe', words: ['C:\\Games\\Mine.exe'] },
  { name: 'sh', words: ['/bin/sh', './moon-launcher.sh'] },
  { name: 'a-name-of-15-by', words: ['/usr/bin/a-name-of-15-bytes-and-more'] },
];

const found = (name: string) => matchName(name, PROCESSES).map((process) => process.name);
const whole = (name: string) => matchWholeName(name, PROCESSES).map((process) => process.name);

test('matchName: a whole name is preferred to a part, a program to a script', () => {
  assert.deepEqual(found('my-game'), ['My-Game']);
  assert.deepEqual(found('my-'), ['My-Game', 'my-game-server']);
  assert.deepEqual(found('moon.py'), ['python3']);
  assert.deepEqual(found('MOON'), ['python3', 'sh']);
  assert.deepEqual(found('PYTHON3'), ['python3']);
  assert.deepEqual(found('nothing'), []);
});

test('matchName: programs of Windows are found with and without their ending, long names whole', () => {
  assert.deepEqual(found('mine'), ['Mine.exe']);
  assert.deepEqual(found('mine.exe'), ['Mine.exe']);
  assert.deepEqual(found('a-name-of-15-bytes-and-more'), ['a-name-of-15-by']);
});

test('matchName: options, arguments without a file name and folders do not count', () => {
  assert.deepEqual(found('--level'), []);
  assert.deepEqual(found('games'), []);
  assert.deepEqual(found('tools'), []);
});

test('matchWholeName: no part of a name counts', () => {
  assert.deepEqual(whole('my-game'), ['My-Game']);
  assert.deepEqual(whole('Moon.py'), ['python3']);
  assert.deepEqual(whole('mine'), ['Mine.exe']);
  assert.deepEqual(whole('moon'), []);
});
