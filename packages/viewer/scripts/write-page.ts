// Writes the HTML of the viewer without an agent, with its content security policy. Pure.
import { createHash } from 'node:crypto';

export type PageParts = {
  /** What the policy allows for scripts and styles, and more directives. */
  readonly policy: readonly string[];
  /** Lines of HTML. */
  readonly head: readonly string[];
  readonly body: readonly string[];
};

/** Returns the value of the attribute `integrity`, which is also a source of a policy. */
export function integrityOf(content: string | Uint8Array): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}

/** Returns the HTML of a page. */
export function writePage({ policy, head, body }: PageParts): string {
  const all = ["default-src 'none'", "connect-src 'none'", "base-uri 'none'", "form-action 'none'"];
  return `${[
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${[...all, ...policy].join('; ')}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    '<title>svc viewer</title>',
    ...head,
    '</head>',
    '<body>',
    '<noscript>The viewer needs JavaScript, which is off in this browser.</noscript>',
    '<div id="app"></div>',
    ...body,
    '</body>',
    '</html>',
  ].join('\n')}\n`;
}

/**
 * Returns an inline script or style with the source that allows it in a policy. Throws if an HTML parser would read the
 * content differently.
 */
export function writeInline(
  element: 'script' | 'style',
  content: string,
): { readonly html: string; readonly source: string } {
  const text = element === 'script' ? content.replaceAll(/<\/(?=script)/gi, '<\\/') : content;
  // A parser changes line ends and NUL, and leaves the element at its end tag or, in a script, stays in it after `<!--`.
  if (/[\r\0]|<!--/.test(text) || text.toLowerCase().includes(`</${element}`)) {
    throw new Error(`The ${element} contains characters that cannot be inline`);
  }
  return { html: `<${element}>${text}</${element}>`, source: `'${integrityOf(text)}'` };
}
