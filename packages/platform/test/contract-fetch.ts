// A fetch for tests that checks every answer against the contract: its JSON against the route's schema, its error code against
// the codes that GET /openapi.json names for the route.
import assert from 'node:assert/strict';
import { ROUTES, type RouteRow, type Send } from '@svc/contracts/platform';
import { Value } from 'typebox/value';

type Document = {
  readonly paths: Record<
    string,
    Record<string, { readonly responses: Record<string, { readonly description: string }> }>
  >;
};

const ROWS: readonly RouteRow[] = Object.values(ROUTES);

/** The fetch for the server at the address. */
export function fetchWithinContract(baseUrl: string): Send {
  let document: Promise<Document> | null = null;
  const readDocument = async (): Promise<Document> =>
    (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document;
  return async (address, init) => {
    const answer = await fetch(address, init);
    const row = findRow(init.method ?? 'GET', new URL(address).pathname);
    if (!/^application\/json/.test(answer.headers.get('content-type') ?? '')) return answer;
    const body: unknown = await answer.clone().json();
    if (answer.status === row.status && row.answer !== null) {
      const [fault] = Value.Errors(row.answer, body);
      assert.equal(fault, undefined, `${row.path}: ${JSON.stringify(fault)}`);
    } else if (answer.status >= 400) {
      document ??= readDocument();
      const code = codeOf(body);
      const path = row.path.replaceAll(/:(\w+)/g, '{$1}');
      const reported = (await document).paths[path]?.[row.method.toLowerCase()]?.responses;
      const codes = reported?.[String(answer.status)]?.description ?? '';
      assert.ok(codes.includes(`\`${code}\``), `${row.method} ${row.path} does not name ${code}`);
    }
    return answer;
  };
}

function findRow(method: string, pathname: string): RouteRow {
  const row = ROWS.find((one) => {
    const pattern = one.path.replaceAll(/:\w+/g, '[^/]+');
    return one.method === method && new RegExp(`^${pattern}$`).test(pathname);
  });
  assert.ok(row, `${method} ${pathname} is no route`);
  return row;
}

function codeOf(body: unknown): unknown {
  return Object(Object(body).error).code;
}
