// The pages of the --dev sign-in provider: a form with a name and no password, and the error page.

/** The policy of these pages: they load nothing from any host. */
export const SIGN_IN_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const STYLE = `
:root{color-scheme:light dark;--ink:light-dark(#171b1f,#e8ebee);--paper:light-dark(#f4f5f3,#121518);--card:light-dark(#fff,#191d21);--line:light-dark(#dadeda,#2b3137);--edge:light-dark(#7f8a92,#6b7680);--soft:light-dark(#535c65,#a2acb6);--accent:light-dark(#07607e,#6cc7e3);--on-accent:light-dark(#fff,#06222b)}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{width:min(24rem,calc(100vw - 2rem));padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:12px}
h1{margin:0 0 .25rem;font-size:1.375rem}p{margin:0 0 1.25rem;color:var(--soft)}label{display:block;margin-bottom:.375rem;font-weight:600}
input,button{width:100%;font:inherit;padding:.625rem .75rem;border-radius:8px}
input{border:1px solid var(--edge);background:transparent;color:inherit}
button{margin-top:1rem;border:0;background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
`;

/** Returns the HTML of the form. `action` is the form's target. It must not contain text from a request. */
export function signInPage(action: string): string {
  return page(
    'Sign in',
    `<h1>Sign in</h1><p>This is the sign-in of a development server. Enter any name. The same name is always the same account.</p>
<form method="post" action="${action}"><label for="name">Your name</label>
<input id="name" name="name" required maxlength="80" autocomplete="nickname" autofocus><button>Sign in</button></form>`,
  );
}

/** Returns the HTML of the error page. `code` is an OAuth 2.0 error (RFC 6749, §4.1.2.1). */
export function signInErrorPage(code: string): string {
  const known = code.replaceAll(/[^a-z_]/g, '');
  return page(
    'Sign-in failed',
    `<h1>Sign-in failed</h1><p>The sign-in has expired, or its address is not complete (${known}). Return to the previous page and sign in again.</p>`,
  );
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · svc, development</title>
<style>${STYLE}</style></head>
<body><main>${content}</main></body></html>`;
}
