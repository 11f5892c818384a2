import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { PS_ARGUMENTS, parsePs } from './parse-ps.ts';

test('parsePs: a program with spaces in its path, a decimal comma, the user -2 of macOS', () => {
  const text = `    1     0     0   0.0 /sbin/launchd
  411   410   501  97,4 /Applications/My Game.app/Contents/MacOS/My Game
  500     1    -2   101 nobody\t
no process
`;
  assert.deepEqual(parsePs(text), [
    {
      ...{ pid: 1, parent: 0, user: 0, cpuPercent: 0, startTicks: null },
      ...{ name: 'launchd', words: ['/sbin/launchd'] },
    },
    {
      ...{ pid: 411, parent: 410, user: 501, cpuPercent: 97.4, startTicks: null, name: 'My Game' },
      words: ['/Applications/My Game.app/Contents/MacOS/My Game'],
    },
    {
      pid: 500,
      parent: 1,
      user: -2,
      cpuPercent: 101,
      startTicks: null,
      name: 'nobody',
      words: ['nobody'],
    },
  ]);
  assert.deepEqual(parsePs(''), []);
});

test('parsePs reads what the ps of this machine prints', {
  skip: process.platform === 'win32',
}, () => {
  const own = parsePs(execFileSync('ps', PS_ARGUMENTS, { encoding: 'utf8' })).find(
    ({ pid }) => pid === process.pid,
  );
  assert.equal(own?.parent, process.ppid);
  assert.equal(own.user, process.getuid?.());
  assert.ok(own.cpuPercent > 0);
});
