// The client of both contracts. It turns a row and an input into a request, and reads the answer.
import type { TSchema } from 'typebox';
import type { AnswerOf, Bytes, InputOf, RouteFields } from './route.ts';

/** Sends a request and returns the answer: the global `fetch`, or a function that also shows progress. */
export type Send = (address: string, init: RequestInit) => Promise<Response>;

export type ClientOptions = {
  /** Address of the API without a trailing slash. Empty in a page of the same origin. */
  readonly baseUrl: string;
  readonly send: Send;
  /** Returns the bearer token for the next request, or null to send none. */
  readonly credential?: () => string | null | Promise<string | null>;
};

/** The routes of a contract by name. */
type RouteTable<Table> = { readonly [Name in keyof Table]: RouteFields };

/** A client. Both functions throw the error of the contract unless the status is 2xx. */
export type Client<Table extends RouteTable<Table>> = {
  /** Calls a route and returns its JSON. Null if the answer is not JSON. */
  call<Name extends keyof Table>(
    name: Name,
    input: InputOf<Table[Name]>,
  ): Promise<AnswerOf<Table[Name]>>;
  /** As `call`, but returns the response: for files, dry runs and headers. */
  open<Name extends keyof Table>(name: Name, input: InputOf<Table[Name]>): Promise<Response>;
};

/** What a contract adds to its client. */
type ClientRules<Row extends RouteFields> = {
  readonly needsCredential: (row: Row) => boolean;
  /** Creates the error for an answer with a status other than 2xx. */
  readonly createError: (answer: Response) => Promise<Error>;
  /** Reads the JSON of an answer with a 2xx status. */
  readonly readAnswer: (answer: Response, schema: TSchema) => Promise<unknown>;
};

type LooseInput = {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: unknown;
  readonly form?: FormData | { readonly type: string; readonly bytes: Bytes };
  readonly bytes?: Bytes;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
};

/** Creates a client for one API. It does not follow redirects, so a credential is never sent to another origin. */
export function createClient<Table extends RouteTable<Table>>(
  rows: Table,
  options: ClientOptions,
  rules: ClientRules<Table[keyof Table]>,
): Client<Table> {
  const open = async (name: keyof Table, input: LooseInput): Promise<Response> => {
    const row = rows[name];
    const credential = rules.needsCredential(row) ? await options.credential?.() : null;
    const address = options.baseUrl + formatPath(row.path, input);
    const answer = await options.send(address, requestInit(row, input, credential ?? null));
    if (answer.ok) return answer;
    throw await rules.createError(answer);
  };
  const call = async (name: keyof Table, input: LooseInput): Promise<unknown> => {
    const answer = await open(name, input);
    const { answer: schema } = rows[name];
    return schema === null ? null : rules.readAnswer(answer, schema);
  };
  // TypeScript can't infer the types of input and answer through the table.
  return { call, open } as Client<Table>;
}

function formatPath(path: string, { params, query }: LooseInput): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params?.[name];
    if (value === undefined || value === '')
      throw new RangeError(`Cannot call ${path}: no ${name}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}

function requestInit(row: RouteFields, input: LooseInput, credential: string | null): RequestInit {
  const headers: Record<string, string> = { ...input.headers };
  if (credential !== null) headers['authorization'] = `Bearer ${credential}`;
  const init: RequestInit = { method: row.method, headers, redirect: 'manual' };
  if (input.signal !== undefined) init.signal = input.signal;
  if (row.takes === 'json') {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(input.body);
  } else if (row.takes === 'form') {
    // A string, because not every `Send` sends URLSearchParams.
    headers['content-type'] = 'application/x-www-form-urlencoded';
    init.body = new URLSearchParams(Object(input.body)).toString();
  } else if (input.form instanceof FormData) init.body = input.form;
  else if (input.form !== undefined) {
    headers['content-type'] = input.form.type;
    setBytes(init, input.form.bytes);
  } else if (input.bytes !== undefined) setBytes(init, input.bytes);
  return init;
}

function setBytes(init: RequestInit, bytes: Bytes): void {
  init.body = bytes;
  // `fetch` requires this for a stream. It is missing in the type.
  if (bytes instanceof ReadableStream) Object.assign(init, { duplex: 'half' });
}

/** Reads the JSON of an answer. Null if it can't be parsed. */
export async function readJson(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    return null;
  }
}
