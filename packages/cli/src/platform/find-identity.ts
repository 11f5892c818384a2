// Finds the identity of a CI run in the environment.

/** Where an identity token comes from: a variable, a file, or GitHub Actions, which issues one on request. */
export type IdentitySource =
  | { readonly kind: 'variable'; readonly name: string; readonly idToken: string }
  | { readonly kind: 'path'; readonly name: string; readonly path: string }
  | { readonly kind: 'github'; readonly url: string; readonly secret: string };

/** Returns the first of `SVC_ID_TOKEN`, `SVC_ID_TOKEN_FILE` and what GitHub Actions sets; null without any. An empty variable counts as unset. */
export function findIdentity(
  env: Readonly<Record<string, string | undefined>>,
): IdentitySource | null {
  const variable = (name: string): string => env[name]?.trim() ?? '';
  const idToken = variable('SVC_ID_TOKEN');
  if (idToken !== '') return { kind: 'variable', name: 'SVC_ID_TOKEN', idToken };
  const path = variable('SVC_ID_TOKEN_FILE');
  if (path !== '') return { kind: 'path', name: 'SVC_ID_TOKEN_FILE', path };
  const url = variable('ACTIONS_ID_TOKEN_REQUEST_URL');
  const secret = variable('ACTIONS_ID_TOKEN_REQUEST_TOKEN');
  return url === '' || secret === '' ? null : { kind: 'github', url, secret };
}
