import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { infoWith } from '../../test/make-info.ts';
import { page, Refusal } from '../../test/stand-in-page.ts';
import { notices } from '../state/notices.ts';
import { exportTrace, fileStem } from './export-trace.ts';
import { mainTrace } from './open-traces.ts';

test('fileStem removes the extension of a trace and characters that a file system may reject', () => {
  const names = [
    ['game.vpt', 'game'],
    ['game.VPT', 'game'],
    ['game.vpt.partial', 'game'],
    ['out.folded', 'out'],
    ['out.collapsed', 'out'],
    ['out.stacks', 'out'],
    ['out.txt', 'out'],
    ['v1.2 final_b-c', 'v1.2 final_b-c'],
    ['../../etc/passwd', '..-..-etc-passwd'],
    ['a\\b:c*?"<>|d\u0000e\nf.vpt', 'a-b-c-d-e-f'],
    ['größe 日本.vpt', 'größe 日本'],
    ['.vpt', 'trace'],
    ['', 'trace'],
  ];
  assert.deepEqual(
    names.map(([name]) => [name, fileStem(name ?? '')]),
    names,
  );
  assert.equal(fileStem('x'.repeat(300)).length, 100);
});

/** A page that can save. It records every saved file. */
function saver(t: TestContext): { name: string; bytes: Blob }[] {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const saved: { name: string; bytes: Blob }[] = [];
  const held = new Map<string, Blob>();
  t.mock.method(URL, 'createObjectURL', (bytes: Blob) => {
    held.set('blob:1', bytes);
    return 'blob:1';
  });
  t.mock.method(URL, 'revokeObjectURL', (address: string) => held.delete(address));
  const shown = new Set<object>();
  Object.assign(document, {
    body: { append: (link: object) => shown.add(link) },
    createElement: () => {
      const link = {
        href: '',
        download: '',
        remove: () => shown.delete(link),
        click: () => {
          const bytes = held.get(link.href);
          if (bytes !== undefined && shown.has(link)) saved.push({ name: link.download, bytes });
        },
      };
      return link;
    },
  });
  t.after(() => {
    t.mock.timers.tick(60_000);
    assert.deepEqual([shown.size, held.size], [0, 0], 'the page is cleaned up');
  });
  notices.value = [];
  return saved;
}

test('the open trace is saved as .vpt, with a notice if it has no end', async (t) => {
  const saved = saver(t);
  page.answers.vpt = () => new Blob(['bytes']);
  await exportTrace();
  assert.equal(saved.length, 0, 'there is none');
  mainTrace.value = infoWith({ name: 'out.folded' });
  await exportTrace();
  assert.equal(saved[0]?.name, 'out.vpt');
  assert.equal(await saved[0]?.bytes.text(), 'bytes');
  assert.equal(notices.value.length, 0);
  mainTrace.value = infoWith({ name: 'run.vpt.partial', partial: true });
  await exportTrace();
  assert.equal(saved[1]?.name, 'run.vpt');
  assert.match(notices.value[0]?.text ?? '', /^Saved\..* opens as partial\.$/);
  assert.deepEqual(page.asked.at(-1), { name: 'vpt', args: { slot: 'main', notes: [] } });
});

test('a failed export is reported', async (t) => {
  const saved = saver(t);
  mainTrace.value = infoWith({ partial: true });
  page.answers.vpt = () => {
    throw new Refusal('too_big', 'No more memory');
  };
  await exportTrace();
  assert.equal(saved.length, 0);
  assert.deepEqual(
    notices.value.map(({ tone, text }) => [tone, text]),
    [['bad', 'No more memory']],
  );
});
