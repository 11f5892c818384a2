// The path of Chromium on this machine, and the arguments with which tests and benchmarks start it.
import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of Chromium from `SVC_CHROMIUM` or the default locations; null if it is not installed. */
export function findBrowser(): string | null {
  const named = process.env['SVC_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  return PLACES.find((path) => existsSync(path)) ?? null;
}

/** Arguments that keep Chromium quiet, offline and able to run as root in a test. */
export const BROWSER_ARGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** {@link BROWSER_ARGS} with WebGL, GPU timers and WebGPU on the software renderer. */
export const GPU_BROWSER_ARGS: readonly string[] = [
  ...BROWSER_ARGS.filter((arg) => arg !== '--disable-gpu'),
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
];
