// `svc trace report -o` refuses a trace that no browser can open in one page, and answers without -o.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { traceFromText } from '@svc/trace/testing';
import { runSvc, temporaryFolder } from './svc.ts';

test('svc trace report refuses a page for 200 MiB of compressed data, and leaves no file', async (t) => {
  const cwd = temporaryFolder(t);
  const file = await open(join(cwd, 'big.vpt'), 'w');
  await file.write(traceFromText('browser\n0 frames 10*50 80\n'));
  // Random data that the reader skips. Its base64 compresses to about its own size.
  for (let mib = 0; mib < 200; mib++) {
    const data = randomBytes(2 ** 20).toString('base64');
    for (let at = 0; at < data.length; at += 2 ** 16) {
      const part = data.slice(at, at + 2 ** 16);
      await file.write(`{"type":"other","t":1,"source":"browser","data":"${part}"}\n`);
    }
  }
  await file.close();
  const run = (...args: string[]) => runSvc(t, ['trace', 'report', 'big.vpt', ...args], { cwd });
  const refused = await run('-o', 'report.html');
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(
    refused.stderr,
    /^svc: The trace has more than 192 MiB when compressed, which is more than a browser can open in one page\.\nLeave out -o /,
  );
  assert.deepEqual(readdirSync(cwd), ['big.vpt']);
  assert.match((await run()).stdout, /\nhitch:1 /);
});
