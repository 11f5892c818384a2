// Documents of issuers: what the server reads, and that it reaches no host of its own network.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { createDocumentFetcher, isPublicAddress } from './fetch-document.ts';

const ISSUER = 'https://ci.example';

/** A server on this machine, with the number of its connections. */
async function startServer(t: TestContext, status: number, body: string) {
  const counted = { connections: 0 };
  const server = createServer((_request, response) => {
    response.writeHead(status, { location: 'https://example.com/' }).end(body);
  });
  server.on('connection', () => counted.connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { counted, port, origin: `http://127.0.0.1:${port}` };
}

test('hosts that are not public are not reached, whatever their name looks like', async (t) => {
  const { counted, port } = await startServer(t, 200, '{}');
  const fetchDocument = createDocumentFetcher({ issuers: new Set(), loopback: false });
  const usual = [
    'https://127.0.0.1/',
    'https://localhost/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://127.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://0.0.0.0/',
    'https://[::]/',
    'https://user@localhost/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
  ].map((address) => [address, /its address is not public/] as const);
  for (const [address, fault] of [
    ...usual,
    [`http://127.0.0.1:${port}/`, /it is not https/],
    [`http://localhost:${port}/`, /it is not https/],
    [`https://127.0.0.1:${port}/`, /its port is not that of https/],
    [`https://localhost:${port}/`, /its port is not that of https/],
    ['https://example.com:22/', /its port is not that of https/],
    ['https://example.com:8443/', /its port is not that of https/],
    ['file:///etc/passwd', /it is not https/],
    ['data:application/json,{}', /it is not https/],
  ] as const) {
    await assert.rejects(fetchDocument(address, ISSUER), fault, address);
  }
  assert.equal(counted.connections, 0);
});

test('an issuer that the operator names is read, also without TLS; others on its host are not', async (t) => {
  const { port, origin, counted } = await startServer(t, 200, '{"a":1}');
  const other = await startServer(t, 200, '{}');
  const issuer = `${origin}/realm`;
  const fetchDocument = createDocumentFetcher({ issuers: new Set([issuer]), loopback: false });
  assert.deepEqual(await fetchDocument(`${issuer}/x`, issuer), { a: 1 });
  assert.deepEqual(await fetchDocument(`${origin}/keys`, issuer), { a: 1 });
  const { connections } = counted;
  // Another issuer names addresses of this one, and this one those of other programs.
  for (const [address, by] of [
    [`${origin}/admin`, 'https://ci.example'],
    [`${origin}/x`, origin],
    [`${origin}/x`, `${issuer}/`],
    [`http://localhost:${port}/`, issuer],
    [other.origin, issuer],
  ] as const) {
    await assert.rejects(fetchDocument(address, by), /Cannot read/, `${address} by ${by}`);
  }
  assert.deepEqual([counted.connections, other.counted.connections], [connections, 0]);
  const dev = createDocumentFetcher({ issuers: new Set(), loopback: true });
  assert.deepEqual(await dev(`http://localhost:${port}/x`, ISSUER), { a: 1 });
});

test('redirects, errors, long documents and other formats are rejected', async (t) => {
  const fetchDocument = createDocumentFetcher({ issuers: new Set(), loopback: true });
  for (const [status, body] of [
    [302, '{}'],
    [404, '{}'],
    [500, '{}'],
    [200, '<html>'],
    [200, ''],
    [200, `"${'x'.repeat(512 * 1024)}"`],
  ] as const) {
    const { origin } = await startServer(t, status, body);
    await assert.rejects(fetchDocument(origin, ISSUER), `${status} ${body.slice(0, 9)}`);
  }
});

test('only addresses of the public internet are public', () => {
  const inner = [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.1.1', '172.16.0.1'],
    ...['172.31.255.255', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.9'],
    ...['203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:8.8.8.8', '64:ff9b::808:808', 'fc00::1', 'fd12::1', 'fe80::1'],
    ...['ff02::1', '2001:db8::1', '2002:7f00:1::', '2001::1', '3fff::1', '100::1', 'x', ''],
  ];
  for (const address of inner) assert.equal(isPublicAddress(address), false, address);
  const outer = ['8.8.8.8', '172.15.0.1', '172.32.0.1', '192.0.1.1', '2606:4700::1', '2a00::1'];
  for (const address of outer) assert.equal(isPublicAddress(address), true, address);
});
