// The parts of a route that both contracts state, and the types of its requests and answers.
import type { Static, TSchema } from 'typebox';

/** The format of a request body: none, JSON, a URL-encoded form, multipart form data, or a stream of bytes of any type. */
export type BodyFormat = 'none' | 'json' | 'form' | 'multipart' | 'stream';

/** The fields of every route. Each contract adds its policy and its error codes. */
export type RouteFields = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The schema of the parameters in the path. */
  readonly params?: TSchema;
  /** The schema of the query. */
  readonly query?: TSchema;
  readonly takes: BodyFormat;
  /** The schema of a JSON body, or of the fields of a form. */
  readonly body: TSchema;
  /** The status of a successful answer. */
  readonly status: number;
  /** The schema of the answer. Null if the answer is not JSON. */
  readonly answer: TSchema | null;
};

/** A body that `fetch` accepts. */
export type Bytes = NonNullable<RequestInit['body']>;

type ParamsOf<Row extends RouteFields> = Row extends {
  readonly params: infer Params extends TSchema;
}
  ? keyof Static<Params> extends never
    ? { readonly params?: undefined }
    : { readonly params: { readonly [Name in keyof Static<Params>]: string } }
  : { readonly params?: undefined };

type QueryOf<Row extends RouteFields> = Row extends { readonly query: infer Query extends TSchema }
  ? { readonly query?: Readonly<Static<Query>> }
  : { readonly query?: undefined };

type BodyOf<Row extends RouteFields> = {
  readonly none: { readonly body?: undefined };
  readonly json: { readonly body: Static<Row['body']> };
  readonly form: { readonly body: Static<Row['body']> };
  readonly multipart: {
    readonly form: FormData | { readonly type: string; readonly bytes: Bytes };
  };
  readonly stream: { readonly bytes: Bytes };
}[Row['takes']];

type CallOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The input of a call of a route. */
export type InputOf<Row extends RouteFields> = ParamsOf<Row> &
  QueryOf<Row> &
  BodyOf<Row> &
  CallOptions;

/** The answer of a route. Null if the answer is not JSON. */
export type AnswerOf<Row extends RouteFields> = Row['answer'] extends TSchema
  ? Static<Row['answer']>
  : null;
