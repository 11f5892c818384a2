import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { integrityOf, writeInline, writePage } from '../scripts/write-page.ts';

test('the source of an inline script is the hash of exactly what is between its tags', () => {
  const { html, source } = writeInline('script', 'const a = "é";\n');
  const inner = html.slice('<script>'.length, -'</script>'.length);
  const hash = createHash('sha256').update(inner, 'utf8').digest('base64');
  assert.equal(source, `'sha256-${hash}'`);
  assert.equal(integrityOf(inner), `sha256-${hash}`);
});

test('an end tag in a script is escaped, in any case', () => {
  const { html } = writeInline('script', 'a = "</script>"; b = "</SCRIPT x"');
  assert.equal(html, '<script>a = "<\\/script>"; b = "<\\/SCRIPT x"</script>');
});

test('content that an HTML parser would read differently is rejected', () => {
  for (const content of ['a\rb', 'a\0b', 'a = "<!--"']) {
    assert.throws(
      () => writeInline('script', content),
      /cannot be inline/,
      JSON.stringify(content),
    );
  }
  assert.throws(() => writeInline('style', 'a { b: "</STYLE>" }'), /cannot be inline/);
  writeInline('style', 'a { b: "</script>" }');
});

test('the policy allows nothing that is not listed, and precedes everything that it concerns', () => {
  const html = writePage({
    policy: ["script-src 'self'"],
    head: ['<link rel="icon" href="data:,">'],
    body: ['<p>end</p>'],
  });
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html);
  assert.equal(
    policy?.[1],
    "default-src 'none'; connect-src 'none'; base-uri 'none'; form-action 'none'; script-src 'self'",
  );
  assert.ok(html.indexOf('charset') < (policy?.index ?? 0));
  assert.ok((policy?.index ?? Infinity) < html.indexOf('<link'));
  assert.match(
    html,
    /<body>\n<noscript>.+<\/noscript>\n<div id="app"><\/div>\n<p>end<\/p>\n<\/body>\n<\/html>\n$/,
  );
});
