// A server that sends a whole file where a part was asked for: the download is ended early, and the game is at fault.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { listen } from '../../test/sockets.ts';
import { exchange } from '../network/exchange.ts';
import type { Network } from '../network/network.ts';
import { fetchGameFile, GameFault } from './fetch-game-file.ts';

test('fetchGameFile reads no whole file where a range was asked for', async (t) => {
  const server = createServer((_, response) => response.end(Buffer.alloc(256 * 1024)));
  const url = `http://127.0.0.1:${await listen(t, server)}/sound.ogg`;
  const network: Network = {
    send: (address, init, limits = {}) => exchange(address, init, { env: {}, limits }),
  };
  const visit = { network, signal: new AbortController().signal };
  assert.equal((await fetchGameFile({ url }, visit)).status, 200);
  await assert.rejects(fetchGameFile({ url, range: 'bytes=0-1023' }, visit), (error) => {
    assert.ok(error instanceof GameFault);
    assert.match(error.message, /the range that was asked for.*it is larger than 64 KiB/);
    return true;
  });
});
