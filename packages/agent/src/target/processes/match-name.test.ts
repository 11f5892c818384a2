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
  { name: 'node', words: ['node', '--import', './hooks.ts', 'rocket.mjs', '-o', 'jupiter.vpt'] },
  { name: 'node', words: ['node', '--inspect', 'saturn.mjs'] },
  { name: 'sh', words: ['sh', '-c', 'sleep 3; /opt/venus'] },
  { name: 'vim', words: ['vim', 'venus.c'] },
].map((process, at) => ({ ...process, pid: at + 1, parent: 0 }));

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

test('matchName: only the script of an interpreter counts', () => {
  assert.deepEqual(found('rocket'), ['node']);
  assert.deepEqual(found('saturn.mjs'), ['node']);
  for (const other of ['hooks.ts', 'jupiter', 'venus', 'sleep']) assert.deepEqual(found(other), []);
});

test('matchWholeName: a script that has started something is not taken', () => {
  const script = { pid: 1, parent: 0, name: 'sh', words: ['sh', './game'] };
  const other = { pid: 2, parent: 1, name: 'sleep', words: ['sleep', '9'] };
  const game = { pid: 3, parent: 2, name: 'game', words: ['/opt/game'] };
  const pids = (...all: (typeof game)[]) => matchWholeName('game', all).map(({ pid }) => pid);
  assert.deepEqual(pids(script), [1]);
  assert.deepEqual(pids(script, other), []);
  assert.deepEqual(pids(script, other, game), [3]);
});

test('matchWholeName: no part of a name counts', () => {
  assert.deepEqual(whole('my-game'), ['My-Game']);
  assert.deepEqual(whole('Moon.py'), ['python3']);
  assert.deepEqual(whole('mine'), ['Mine.exe']);
  assert.deepEqual(whole('moon'), []);
});
