// A publish hook for tests. The file index.html of the build says what it does. It reports what it got in the folder of its first argument.
import { spawn } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

const [reports = '', folder = ''] = process.argv.slice(2);
const order = readFileSync(join(folder, 'index.html'), 'utf8');

/** Writes a report that appears at once. Its name is the id of the process. */
function report(more: object): void {
  const partial = join(reports, `${process.pid}.partial`);
  writeFileSync(partial, JSON.stringify({ order, folder, pid: process.pid, ...more }));
  renameSync(partial, join(reports, `${process.pid}.json`));
}

/** Starts a program in the same group that holds the output open. */
function startSleeper(): number | undefined {
  const child = spawn('sleep', ['600'], { stdio: 'inherit' });
  child.unref();
  return child.pid;
}

const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
const files = entries
  .filter((entry) => entry.isFile())
  .map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = (statSync(path).mode & 0o777).toString(8);
    return { path: path.slice(folder.length + 1), mode, text: readFileSync(path, 'utf8') };
  });

switch (order) {
  case 'accept': {
    const facts: unknown = JSON.parse(await text(process.stdin));
    report({ facts, files, env: process.env, cwd: process.cwd() });
    break;
  }
  case 'reject':
    process.stdout.write('\nA \u001b[31mfault\u001b[0m\tin:\r\na.js: a miner\nb.js: a virus\n\n');
    process.exitCode = 1;
    break;
  case 'reject without a reason':
    process.exitCode = 1;
    break;
  case 'fail':
    process.stderr.write('the scanner is down\nstart it\n');
    process.exitCode = 2;
    break;
  case 'do not read':
    process.stdin.destroy();
    break;
  case 'stall':
    process.on('SIGTERM', () => {});
    report({ sleeper: startSleeper() });
    await setTimeout(600_000);
    break;
  case 'wait':
    report({});
    while (!existsSync(join(reports, 'go'))) await setTimeout(20);
    break;
  default:
    throw new Error(`unknown order: ${order}`);
}
