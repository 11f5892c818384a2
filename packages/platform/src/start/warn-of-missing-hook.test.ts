import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import { warnOfMissingHook } from './warn-of-missing-hook.ts';

test('a program that cannot be executed is a warning, and another hook is none', async () => {
  const lines: string[] = [];
  const log = { ...NO_LOG, warn: (line: string) => lines.push(line) };
  const command = (path: string) =>
    ({ kind: 'command', command: [path, '-x'], timeoutMs: 1 }) as const;
  const address = { kind: 'address', url: 'http://x.example', secret: null, timeoutMs: 1 } as const;
  for (const hook of [null, address, command(process.execPath)]) {
    await warnOfMissingHook({ publishHook: hook }, log);
  }
  assert.deepEqual(lines, []);
  for (const path of ['/nowhere/hook', import.meta.filename]) {
    await warnOfMissingHook({ publishHook: command(path) }, log);
  }
  assert.match(
    lines.join('\n'),
    /SVC_PUBLISH_HOOK .* Install "\/nowhere\/hook"[^\n]*\n.*"\/.*\.ts"/,
  );
});
