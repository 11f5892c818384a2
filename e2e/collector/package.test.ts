// The npm package: packed, installed elsewhere, type-checked and bundled by a consumer, and its single script.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { build } from 'vite';
import { packProduct } from '../../release/pack-product.ts';
import { COLLECTOR } from '../../release/products.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { launch, openPage } from './page.ts';
import { serveFolder } from './serve-folder.ts';
import { only, readTrace } from './trace-of.ts';

const BIN = join(ROOT, 'node_modules/.bin');
const PACKAGE = join(ROOT, 'packages/collector');
let home: string;
let installed: string;

before(async () => {
  home = mkdtempSync(join(tmpdir(), 'svc-collector-'));
  const file = await packProduct(COLLECTOR, home, new Date());
  writeFileSync(join(home, 'package.json'), '{"name":"game","private":true,"type":"module"}');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', file], home);
  installed = join(home, 'node_modules/@svc/collector');
});
after(() => rmSync(home, { recursive: true, force: true }));

function run(command: string, args: readonly string[], cwd: string): string {
  const PATH = `${BIN}${delimiter}${process.env['PATH'] ?? ''}`;
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH },
  });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

const USE = `
import { asset, counter, download, export as exportTrace, exportText, mark, settled, span, start, status, stop, type StartOptions } from '@svc/collector';
import { addOverlay } from '@svc/collector/overlay';
import { leftOver, makeSpool } from '@svc/collector/spool';
import { followThree } from '@svc/collector/three';
import { followPhaser } from '@svc/collector/phaser';
import { followPixi } from '@svc/collector/pixi';
import { start as startCore } from '@svc/collector/core';

const options: StartOptions = { budgetBytes: 1e6, whenFull: 'stop', parts: { webgpu: false }, spool: makeSpool() };
start(options);
startCore();
{ using loading = span('load'); mark('x'); counter('y', 1); asset('rock.png', { kind: 'texture' }); loading.end(); }
const file: Blob = exportTrace();
const text: string = exportText();
const remove: () => void = addOverlay({ key: 'F8' });
const undo: (() => void)[] = [followThree(class {}), followPhaser({}), followPixi({ Loader: class {} })];
stop(); await settled(); download(); remove();
export default [file, text, undo, status().state, (await leftOver()).map((one) => one.trace.size)];
// @ts-expect-error: a misspelled option is an error
start({ budget: 1 });
`;

test('a consumer’s type check accepts it, including its declarations, with both module resolutions', () => {
  writeFileSync(join(home, 'game.ts'), USE);
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const args = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2022,esnext.disposable,dom',
      '--types',
      '',
    ];
    run(
      'tsc',
      [...args, '--module', module ?? '', '--moduleResolution', resolution ?? '', 'game.ts'],
      home,
    );
  }
});

test('it depends on nothing, and states its version in traces', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(manifest.dependencies, undefined);
  assert.deepEqual(readdirSync(join(home, 'node_modules/@svc')), ['collector']);
  const source = readFileSync(join(PACKAGE, 'src/recording/version.ts'), 'utf8');
  assert.ok(
    source.includes(`'${manifest.version}'`),
    'the version in traces is that of the package',
  );
});

test('nothing in it can open a connection or write to the console', () => {
  const connects =
    /\bfetch\b\s*\(|XMLHttpRequest|WebSocket|EventSource|WebTransport|RTCPeerConnection|sendBeacon|importScripts|\bimport\s*\(|\bconsole\b/;
  const scripts = readdirSync(join(installed, 'dist')).filter((name) => name.endsWith('.js'));
  assert.ok(scripts.length > 5);
  for (const name of scripts) {
    const found = connects.exec(readFileSync(join(installed, 'dist', name), 'utf8'));
    assert.equal(found?.[0], undefined, name);
  }
});

test('its sizes stay below the documented limits: 7.7 kB for the core, 19.3 kB in total', async () => {
  const sizeOf = async (code: string): Promise<number> => {
    const entry = join(home, 'size.js');
    writeFileSync(entry, code);
    const made = await rolldown({ input: entry, cwd: home, platform: 'browser' });
    const { output } = await made.generate({ format: 'esm', minify: true, codeSplitting: false });
    await made.close();
    return gzipSync(output[0].code, { level: 9 }).length;
  };
  const core = await sizeOf(`export * from '@svc/collector/core';`);
  const all = await sizeOf(`export * from '@svc/collector';`);
  assert.ok(core < 7_700, `core: ${core}`);
  assert.ok(all < 19_300, `all: ${all}`);
});

test('a Vite app builds with it and records', async () => {
  const app = join(home, 'app');
  mkdirSync(app);
  writeFileSync(
    join(app, 'index.html'),
    '<!doctype html><link rel="icon" href="data:,"><script type="module" src="./main.ts"></script>',
  );
  writeFileSync(
    join(app, 'main.ts'),
    `import * as svc from '@svc/collector';
    import { addOverlay } from '@svc/collector/overlay';
    svc.start();
    addOverlay({ open: true });
    svc.mark('from Vite');
    svc.stop();
    Object.assign(globalThis, { exported: svc.exportText() });`,
  );
  await build({ root: app, base: './', configFile: false, logLevel: 'silent' });
  await using server = await serveFolder(join(app, 'dist'));
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(server.origin);
    await page.waitForFunction('globalThis.exported');
    const lines = readTrace(await page.evaluate<string>('exported'));
    assert.deepEqual(
      only(lines, 'mark').map(({ name }) => name),
      ['from Vite'],
    );
    await page.getByRole('region', { name: 'Profiler' }).getByText('Stopped').waitFor();
  } finally {
    await browser.close();
  }
});

test('the one script puts everything under "svc"', async () => {
  const script = readFileSync(join(installed, 'dist/collector.global.js'), 'utf8');
  await using game = await openPage('', {
    html: `<!doctype html><link rel="icon" href="data:,"><script src="/svc.js"></script><script>
      svc.start(); svc.mark('from a script tag'); svc.stop(); svc.addOverlay()(); globalThis.ready = true;</script>`,
    files: (path) => (path === '/svc.js' ? { type: 'text/javascript', body: script } : null),
  });
  const names = await game.page.evaluate<string[]>('Object.keys(svc).sort()');
  for (const name of [
    'settled',
    'start',
    'stop',
    'export',
    'exportText',
    'download',
    'mark',
    'span',
    'counter',
    'asset',
    'status',
    'addOverlay',
    'makeSpool',
    'followThree',
  ]) {
    assert.ok(names.includes(name), name);
  }
  assert.deepEqual(
    await game.page.evaluate(`Object.keys(globalThis).filter((name) => name === 'svc')`),
    ['svc'],
  );
  const lines = readTrace(await game.page.evaluate<string>('svc.exportText()'));
  assert.deepEqual(
    only(lines, 'mark').map(({ name }) => name),
    ['from a script tag'],
  );
  assert.deepEqual(game.heard, []);
});
