// The page of a report: the verdict and the trace are inserted into the viewer, and every text is escaped.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeReportPage } from './report-page.ts';
import type { Target } from './write-target.ts';

const CODE = "<script>const t = '<title>svc viewer</title><noscript></body>';</script>";
const TEMPLATE = `<head><title>svc viewer</title></head>
<body><noscript>No JavaScript.</noscript>
${CODE}
</body>
</html>
`;

async function pageOf(
  content: Partial<Parameters<typeof writeReportPage>[2]>,
  template = TEMPLATE,
): Promise<string> {
  const written: Uint8Array[] = [];
  const target = {
    write: (bytes: Uint8Array) => void written.push(bytes),
    drain: async () => {},
  } as unknown as Target;
  const verdict = { headline: 'Smooth.', detail: 'Yes.' };
  await writeReportPage(target, template, {
    ...{ name: 'a.vpt', verdict, fragment: '', trace: [] },
    ...content,
  });
  return Buffer.concat(written).toString();
}

test('writeReportPage inserts the verdict and the trace, and leaves the code of the page as it is', async () => {
  const pieces = ['a', 'bcde', '', 'fg'].map((text) => Buffer.from(text));
  const data = Buffer.from('abcdefg').toString('base64');
  assert.equal(
    await pageOf({ trace: pieces }),
    `<head><title>a.vpt: Smooth.</title></head>
<body><noscript><h1>Smooth.</h1><p>Yes.</p>No JavaScript.</noscript>
${CODE}
<script type="application/vnd.svc.trace" data-name="a.vpt">${data}</script>
</body>
</html>
`,
  );
});

test('writeReportPage adds the fragment, and escapes the name and the verdict', async () => {
  const hostile = '</title><script>"\'&\u0000\n\u202e\ud800x';
  const page = await pageOf({
    name: hostile,
    verdict: { headline: hostile, detail: hostile },
    fragment: 'budget=8.33',
  });
  const escaped = '&lt;/title&gt;&lt;script&gt;&quot;&#39;&amp;   \ufffdx';
  assert.equal(page.split(escaped).length - 1, 5);
  assert.ok(page.includes(`data-name="${escaped}" data-fragment="budget=8.33">`));
  assert.equal(page.split('<script').length - 1, 2);
});

test('writeReportPage rejects a page that is not the viewer', async () => {
  for (const mark of ['<title>svc viewer</title>', '<noscript>', '</body>']) {
    await assert.rejects(pageOf({}, TEMPLATE.replaceAll(mark, '')), {
      message: `The viewer's page has no ${mark}`,
    });
  }
});
