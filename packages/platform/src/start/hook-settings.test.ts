import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHookSettings } from './hook-settings.ts';

function read(environment: Readonly<Record<string, string>>) {
  const faults: string[] = [];
  return { hook: readHookSettings(environment, faults), faults };
}

const SVC_PUBLISH_HOOK_SECRET = 'sixteen letters!';

test('a path with arguments is a command', () => {
  assert.deepEqual(read({ SVC_PUBLISH_HOOK: ' /usr/bin/scan  --all -x ' }), {
    hook: { kind: 'command', command: ['/usr/bin/scan', '--all', '-x'], timeoutMs: 60_000 },
    faults: [],
  });
  assert.deepEqual(read({ SVC_PUBLISH_HOOK: '/scan', SVC_PUBLISH_HOOK_TIMEOUT: '7' }).hook, {
    ...{ kind: 'command', command: ['/scan'], timeoutMs: 7000 },
  });
});

test('an address is a server, with or without a secret', () => {
  const url = 'https://judge.example/a?b=c';
  assert.deepEqual(read({ SVC_PUBLISH_HOOK: url, SVC_PUBLISH_HOOK_SECRET }), {
    hook: { kind: 'address', url, secret: SVC_PUBLISH_HOOK_SECRET, timeoutMs: 60_000 },
    faults: [],
  });
  assert.deepEqual(read({ SVC_PUBLISH_HOOK: 'http://127.0.0.1:9000' }).hook, {
    ...{ kind: 'address', url: 'http://127.0.0.1:9000', secret: null, timeoutMs: 60_000 },
  });
  assert.deepEqual(read({}), { hook: null, faults: [] });
});

test('each fault names its setting, and no value', () => {
  const SVC_PUBLISH_HOOK = '/scan';
  const rows: [Readonly<Record<string, string>>, RegExp][] = [
    ...[
      ...['scan', './scan', '~/scan', 'ftp://judge.example', 'https://me@judge.example'],
      ...['https://:word@judge.example', 'https://judge.example/#a', 'file:///scan'],
    ].map((hook): [Readonly<Record<string, string>>, RegExp] => [
      { SVC_PUBLISH_HOOK: hook },
      /^SVC_PUBLISH_HOOK: must be the absolute path of a program, with arguments/,
    ]),
    ...['0', '101', '1.5', '30s'].map((seconds): [Readonly<Record<string, string>>, RegExp] => [
      { SVC_PUBLISH_HOOK, SVC_PUBLISH_HOOK_TIMEOUT: seconds },
      /^SVC_PUBLISH_HOOK_TIMEOUT: must be a whole number from 1 to 100$/,
    ]),
    [
      { SVC_PUBLISH_HOOK: 'https://x.example', SVC_PUBLISH_HOOK_SECRET: 'fifteen letters' },
      /^SVC_PUBLISH_HOOK_SECRET: must be a text of at least 16 characters$/,
    ],
    [
      { SVC_PUBLISH_HOOK, SVC_PUBLISH_HOOK_SECRET },
      /^SVC_PUBLISH_HOOK_SECRET: only with an address in SVC_PUBLISH_HOOK$/,
    ],
    [{ SVC_PUBLISH_HOOK_SECRET }, /^SVC_PUBLISH_HOOK: required with SVC_PUBLISH_HOOK_SECRET$/],
    [
      { SVC_PUBLISH_HOOK_TIMEOUT: '5' },
      /^SVC_PUBLISH_HOOK: required with SVC_PUBLISH_HOOK_TIMEOUT$/,
    ],
  ];
  for (const [environment, fault] of rows) {
    const { faults } = read(environment);
    assert.equal(faults.length, 1, faults.join('\n'));
    assert.match(faults[0] ?? '', fault);
  }
});
