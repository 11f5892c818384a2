// `svc update --check` against registries on this machine: newer and older versions, and wrong answers.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { VERSION } from '../src/process/version.ts';
import { runSvc } from './svc.ts';

/** A registry that answers each request in the same way. Returns its address, and what it was asked. */
async function startRegistry(
  t: TestContext,
  body: string | null,
  status = 200,
  more: Readonly<Record<string, string>> = {},
) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${Object.keys(request.headers).sort().join(' ')}`);
    if (body === null) request.socket.destroy();
    else response.writeHead(status, { 'content-type': 'application/json', ...more }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { registry: `http://127.0.0.1:${port}/npm`, asked };
}

const next = VERSION.replace(/\d+$/, (patch) => String(Number(patch) + 1));

test('a newer version is named, with how to get it', async (t) => {
  const { registry, asked } = await startRegistry(t, JSON.stringify({ version: next, more: 1 }));
  const { code, stdout, stderr } = await runSvc(t, [
    'update',
    '--check',
    '--registry',
    `${registry}/`,
  ]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(
    stdout,
    `svc ${next} is available. This is ${VERSION}.\n\nThis svc runs from a checkout. Update it with Git.\n`,
  );
  assert.deepEqual(asked, ['GET /npm/@svc%2fcli/latest accept connection host user-agent']);
});

test('the newest version, and one that is newer than the registry has', async (t) => {
  for (const version of [VERSION, '0.0.1', `${next}-beta.1`]) {
    const { registry } = await startRegistry(t, JSON.stringify({ version }));
    const env = { SVC_REGISTRY: registry };
    const { code, stdout } = await runSvc(t, ['update', '--check', '--json'], { env });
    assert.equal(code, 0);
    const newer = version.startsWith(next);
    assert.deepEqual(JSON.parse(stdout), { current: VERSION, latest: version, newer, registry });
  }
});

test('a registry without svc, with other answers, or that does not answer', async (t) => {
  const rows: readonly (readonly [string | null, number, number, RegExp])[] = [
    ['{"error":"not found"}', 404, 5, /does not have @svc\/cli\.[\s\S]*--registry URL/],
    ['{"version":"1.0.0\\u001b[31m"}', 200, 11, /answered with no version of @svc\/cli/],
    [`{"version":"1.0.0-${'x'.repeat(100)}"}`, 200, 11, /no version/],
    ['{"version":1}', 200, 11, /no version/],
    ['<html>', 200, 11, /no version/],
    ['{}', 500, 11, /answered with 500\.[\s\S]*Check the address/],
    ['{}', 401, 3, /asks for a password[\s\S]*npm view @svc\/cli version/],
    ['{}', 403, 4, /asks for a password/],
    ['{}', 429, 10, /too many requests/],
    ['{}', 302, 11, /answered with 302 and another address: https:\/\/other\.example\/\?x/],
    [
      JSON.stringify({ version: next, x: 'x'.repeat(2_000_000) }),
      ...([200, 11, /Check the address of the registry/] as const),
    ],
    [null, 200, 10, /127\.0\.0\.1/],
  ];
  for (const [body, status, exit, message] of rows) {
    const more: Record<string, string> =
      status === 302 ? { location: 'https://other.example/?x' } : { 'retry-after': '7' };
    const { registry } = await startRegistry(t, body, status, more);
    const { code, stdout, stderr } = await runSvc(t, ['update', '--check', '--registry', registry]);
    assert.deepEqual([code, stdout], [exit, ''], `${body?.slice(0, 40)}`);
    assert.match(stderr, message);
    assert.ok(!stderr.includes('\u001b'));
  }
});

test('the time after which a registry answers again is in the document', async (t) => {
  const { registry } = await startRegistry(t, '{}', 429, { 'retry-after': '7' });
  const { stdout } = await runSvc(t, ['update', '--check', '--json', '--registry', registry]);
  const { code, exit_code, retry_after_s } = JSON.parse(stdout).error;
  assert.deepEqual([code, exit_code, retry_after_s], ['rate_limited', 10, 7]);
});

test('a password in SVC_REGISTRY is not printed', async (t) => {
  const env = { SVC_REGISTRY: 'https://bob:hunter2@registry.example' };
  const { code, stdout, stderr } = await runSvc(t, ['update', '--check', '--json'], { env });
  assert.equal(code, 2);
  assert.ok(!`${stdout}${stderr}`.includes('hunter2'));
});

test('without --check, and with a wrong address, nothing is asked', async (t) => {
  const { registry, asked } = await startRegistry(t, '{}');
  const wrong: readonly (readonly [readonly string[], string])[] = [
    [[], registry],
    [['--check', '--registry', 'registry'], registry],
    [['--check', '--registry', 'ftp://127.0.0.1'], registry],
    [['--check', '--registry', `${registry}?a`], registry],
    [['--check'], 'file:///x'],
  ];
  for (const [args, SVC_REGISTRY] of wrong) {
    const { code } = await runSvc(t, ['update', ...args], { env: { SVC_REGISTRY } });
    assert.equal(code, 2, args.join(' '));
  }
  assert.deepEqual(asked, []);
});
