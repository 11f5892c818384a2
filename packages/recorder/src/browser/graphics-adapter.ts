// The graphics adapter that a browser uses.
import { setTimeout as delay } from 'node:timers/promises';
import { describeGpu, type Header } from '@svc/trace';
import type { Browser } from 'puppeteer-core';

/** Longest wait. The browser answers when it has started its graphics process, which can hang. */
const ANSWER_MS = 5_000;

/** Undefined if the browser does not name it. */
export async function graphicsAdapter(browser: Browser): Promise<Header['gpu']> {
  const asked = askFor(browser).catch(() => '');
  return describeGpu(await Promise.race([asked, delay(ANSWER_MS, '', { ref: false })]));
}

async function askFor(browser: Browser): Promise<string> {
  const session = await browser.target().createCDPSession();
  const { gpu } = await session.send('SystemInfo.getInfo');
  await session.detach();
  const renderer: unknown = Object(gpu.auxAttributes).glRenderer;
  if (typeof renderer === 'string' && renderer !== '') return renderer;
  return gpu.devices[0]?.deviceString ?? '';
}
