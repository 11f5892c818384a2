// A proxy with the configuration of the operator's guide, in front of servers of the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Back, startBack } from './start-back.ts';
import type { Ports } from './start-nginx.ts';
import { findFreePorts, type Program } from './start-program.ts';

/** Starts a proxy with its files in the folder, which does not exist yet. */
export type StartProxy = (folder: string, ports: Ports) => Promise<Program>;

export type Proxy = {
  readonly ports: Ports;
  /** The two processes of the platform. */
  readonly api: readonly [Back, Back];
  /** The two processes of the store. */
  readonly store: readonly [Back, Back];
};

/** Opens a proxy that ends with the test. */
export async function openProxy(t: TestContext, start: StartProxy): Promise<Proxy> {
  const [outside = 0, inside = 0, redirect = 0, ...rest] = await findFreePorts(7);
  const [a = 0, b = 0, c = 0, d = 0] = rest;
  const ports: Ports = { outside, inside, redirect, api: [a, b], store: [c, d] };
  const folder = mkdtempSync(join(tmpdir(), 'svc-proxy-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const api = [await startBack(t, a), await startBack(t, b)] as const;
  const store = [await startBack(t, c), await startBack(t, d)] as const;
  const proxy = await start(join(folder, 'proxy'), ports);
  t.after(() => proxy[Symbol.asyncDispose]());
  return { ports, api, store };
}
