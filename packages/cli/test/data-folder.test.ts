// The data folder of `svc dashboard`: only a folder of the user, and each file name is printed on one line.
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finish, runSvc, startSvc, temporaryFolder } from './svc.ts';

const DASHBOARD = ['dashboard', '--port', '0', '--data-dir'];

test('svc dashboard rejects a data folder that others can write to, and names the command that closes it', async (t) => {
  const home = temporaryFolder(t);
  const data = join(home, 'my data');
  mkdirSync(data);
  chmodSync(data, 0o777);
  const options = { env: { HOME: home }, cwd: home };
  const { code, stdout, stderr } = await runSvc(t, [...DASHBOARD, data], options);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /Other users can write to .*\(mode 0777\); run chmod go-w '.*my data'/);
  assert.deepEqual(readdirSync(data), []);
});

test('svc dashboard rejects a link to a folder of another user, and creates nothing there', {
  skip: process.getuid?.() !== 0 && 'kernel: only root can make a folder of another user',
}, async (t) => {
  const home = temporaryFolder(t);
  const data = join(home, 'theirs');
  mkdirSync(data, 0o755);
  chownSync(data, 65_534, 65_534);
  symlinkSync(data, join(home, 'link'));
  const options = { env: { HOME: home }, cwd: home };
  const { code, stdout, stderr } = await runSvc(t, [...DASHBOARD, 'link'], options);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /belongs to another user \(uid 65534\); choose .* --data-dir/);
  assert.deepEqual(readdirSync(data), []);
});

test('svc dashboard warns about a data folder that others can read, and prints a file name on one line', async (t) => {
  const home = temporaryFolder(t);
  const data = join(home, 'data');
  mkdirSync(join(data, 'traces'), { recursive: true });
  chmodSync(data, 0o755);
  writeFileSync(join(data, 'traces/a\nb\u001b[2J.vpt.partial'), 'x');
  symlinkSync(data, join(home, 'link'));
  const child = startSvc(t, [...DASHBOARD, join(home, 'link')], { env: { HOME: home } });
  const finished = finish(child);
  // The list of left-over recordings is the last output before it waits.
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk) => String(chunk).includes('.vpt.partial') && resolve());
  });
  child.kill('SIGTERM');
  const { code, stdout: text, stderr: faults } = await finished;
  assert.equal(code, 0);
  assert.match(text, /\/data\/traces\/a\\nb\\x1b\[2J\.vpt\.partial {2}\(1 B\)\n/);
  assert.ok(text.includes(`${realpathSync(data)} (at most`), text);
  assert.match(faults, /^warning: Other users can read .*\(mode 0755\).*chmod 700 \S+\/data/);
  assert.equal(statSync(data).mode & 0o777, 0o755, 'its mode is left as it is');
});
