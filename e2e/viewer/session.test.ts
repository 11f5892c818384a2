// A session from the printed address to the file on disk.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAgentClient, exportTrace, importTrace } from '@svc/contracts/agent';
import { until } from '../../scripts/until.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { dropFile, noBrowser, openViewer, pickFile } from './open-viewer.ts';

test('the token is removed from the address at once, and a reload still has it', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, agent } = viewer;
  await page.getByRole('heading', { name: 'Open a trace' }).waitFor();
  assert.equal(page.url().includes(agent.token), false);
  const page2 = await page.context().newPage();
  await page2.goto(agent.origin);
  await page2.getByRole('heading', { name: 'Open this session' }).waitFor();
  await page2.getByLabel('Address or token').fill(agent.url);
  await page2.getByRole('button', { name: 'Open' }).click();
  await page2.getByRole('heading', { name: 'Open a trace' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Open a trace' }).waitFor();
  assert.deepEqual(viewer.faults, []);
});

test('Start moves the chart, and the exported file opens again after End session', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer({ target: true });
  const { page, agent } = viewer;
  await page.getByRole('button', { name: 'Start' }).first().click();
  await page.getByRole('application', { name: /^Timeline/ }).waitFor();
  await page.getByText('Capturing', { exact: true }).waitFor();
  const end = async (): Promise<string> =>
    (await page.getByRole('application', { name: /^Timeline/ }).getAttribute('aria-label')) ?? '';
  const first = await end();
  await page.waitForFunction(
    (before) =>
      document.querySelector('[aria-roledescription=timeline]')?.getAttribute('aria-label') !==
      before,
    first,
  );
  for (const label of ['CPU', 'RSS', 'PSS']) {
    await page.locator('.figure', { has: page.getByText(label, { exact: true }) }).waitFor();
  }
  await page.getByRole('button', { name: 'Show table' }).click();
  await page.getByRole('cell', { name: 'Memory' }).first().waitFor();
  await page.getByRole('button', { name: 'Show chart' }).click();

  await page.getByRole('button', { name: 'End session' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
  const { trace } = await agent.ended;
  assert.ok(trace);
  await page.getByRole('alert').getByText(trace.path).waitFor();
  await page.getByText('It was ended from the dashboard.').waitFor();
  await page.getByRole('button', { name: 'Partial' }).waitFor({ state: 'detached' });

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const saved = await readFile(await (await download).path(), 'utf8');
  assert.equal(await page.getByText('was not opened').count(), 0);
  const onDisk = await readFile(trace.path, 'utf8');
  assert.equal(saved, onDisk, 'the page has the whole recording, its end too');
  assert.ok(saved.split('\n').length >= 3);
  await pickFile(page, { name: 'again.vpt', text: onDisk });
  await page.getByRole('heading', { name: 'again.vpt' }).waitFor();
  await page.getByText('Memory', { exact: true }).first().waitFor();
  assert.deepEqual(
    viewer.faults.filter(
      (fault) => !fault.includes('WebSocket') && !fault.includes('ERR_CONNECTION_REFUSED'),
    ),
    [],
  );
});

test('a folded file is drawn in the page and sent to the agent as .vpt, and Start then asks for confirmation', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer({ target: true });
  const { page, agent } = viewer;
  await page.getByRole('heading', { name: 'Open a trace' }).waitFor();
  await dropFile(
    page,
    'game.folded',
    'main;update;ai 30\nmain;render 60\nno stack here\nmain;idle 10\n',
  );
  await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
  await page.getByText('1 line skipped').waitFor();
  await page.getByText('100', { exact: true }).first().waitFor();
  const authorization = `Bearer ${agent.token}`;
  const deadline = Date.now() + 20_000;
  let text = '';
  while (!text.includes('"render"') && Date.now() < deadline) {
    const answer = await fetch(`${agent.origin}/api/trace`, { headers: { authorization } });
    text = await answer.text();
  }
  assert.match(text, /^\{"vpt":1,/);
  assert.match(text, /"render"/);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Replace the open trace?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'game.folded' }).waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Capturing', { exact: true }).waitFor();
  await page.getByRole('application', { name: /^Timeline/ }).waitFor();
  assert.deepEqual(viewer.faults, []);
});

test('the error for a rejected file names the position, and the open trace stays', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page } = viewer;
  const header =
    '{"vpt":1,"producer":{"name":"test","version":"1"},"started_at":null,"sources":["browser"]}\n';
  await pickFile(page, {
    name: 'good.vpt',
    text: `${header}{"type":"mark","t":5,"name":"here"}\n`,
  });
  await page.getByRole('heading', { name: 'good.vpt' }).waitFor();
  await page.getByRole('button', { name: 'Partial' }).waitFor();
  await pickFile(page, {
    name: 'bad.vpt',
    text: `${header}{"type":"mark","t":-5,"name":"here"}\n`,
  });
  const alert = page.getByRole('alert');
  await alert.getByText('bad.vpt was not opened.').waitFor();
  await alert.getByText('line 2, column 20').waitFor();
  await page.getByRole('heading', { name: 'good.vpt' }).waitFor();
  await pickFile(page, { name: 'text.folded', text: 'this is only prose\nand nothing else\n' });
  await alert.getByText('text.folded was not opened.').waitFor();
  assert.deepEqual(viewer.faults, []);
});

test('of files that are opened quickly the last one stays, also with the same name', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, agent, faults } = viewer;
  await page.getByRole('heading', { name: 'Open a trace' }).waitFor();
  await page.evaluate(() => {
    const shown: string[] = [];
    Object.assign(window, { shown });
    const note = (): void => {
      const title = document.querySelector('h1')?.textContent ?? '';
      const total = document.querySelector('.stacks .hint b')?.textContent ?? '';
      const text = `${title} ${total}`;
      if (total !== '' && shown.at(-1) !== text) shown.push(text);
    };
    const what = { subtree: true, childList: true, characterData: true };
    new MutationObserver(note).observe(document, what);
  });
  for (const [name, text, total] of [
    ['first.folded', 'main;first 3\n', /^3$/],
    ['game.folded', 'main;old 4\n', /^4$/],
    ['game.folded', 'main;new 5\nmain;more;of;it 6\n', /^11$/],
  ] as const) {
    await dropFile(page, name, text);
    await page.locator('.stacks .hint b', { hasText: total }).waitFor();
  }
  const { origin, token } = agent;
  const client = createAgentClient({ baseUrl: origin, send: fetch, credential: () => token });
  const held = async (): Promise<string> =>
    new Response((await exportTrace(client).catch(() => null))?.body ?? '').text();
  await until(held, (text) => text.includes('"more"'), 'the agent holds the last file');
  // Another client's import is last. When it is visible, the page has received all earlier events.
  await importTrace(
    client,
    '{"vpt":1,"producer":{"name":"t","version":"1"},"started_at":null,"sources":["import"]}\n',
    'other.vpt',
  );
  await page.getByRole('heading', { name: 'other.vpt' }).waitFor();
  const shown = await page.evaluate(() => (window as unknown as { shown: string[] }).shown);
  const last = shown.indexOf('svc: game.folded 11');
  assert.ok(last >= 0, shown.join(', '));
  assert.ok(!shown.slice(last).some((text) => /first|game\.folded 4/.test(text)), shown.join(', '));
  assert.deepEqual(faults, []);
});

test('a lost connection is reported, and the loaded trace stays', { skip: noBrowser }, async () => {
  await using viewer = await openViewer();
  const { page, folder } = viewer;
  const killed = await startKillableAgent(folder);
  await page.goto(killed.url);
  await dropFile(page, 'game.folded', 'main;a 3\nmain;b 4\n');
  await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
  killed.kill();
  await page.getByText('Connection lost.').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  assert.match(await readFile(await (await download).path(), 'utf8'), /^\{"vpt":1,/);
});

/** An agent in a separate process, which can be killed. */
async function startKillableAgent(folder: string): Promise<{ url: string; kill(): void }> {
  const options = {
    port: 0,
    pid: null,
    startTicks: null,
    program: null,
    launched: false,
    start: false,
    file: null,
    dataDir: join(folder, 'killed'),
    ttlMs: 60_000,
    storageCapBytes: 2 ** 20,
    importLimitBytes: 2 ** 20,
    pssIntervalMs: 1000,
    probes: [],
    follow: null,
    providerUrl: null,
    env: {},
    version: '0.0.0-test',
  };
  const program = `import { readViewer, startAgent } from '@svc/agent';
    const viewer = () => readViewer(${JSON.stringify(join(ROOT, 'packages/viewer/dist'))});
    const agent = await startAgent({ ...${JSON.stringify(options)}, viewer });
    console.log(agent.url);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), kill: () => child.kill('SIGKILL') };
}
