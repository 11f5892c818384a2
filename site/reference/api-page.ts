// The reference of an API, made from its OpenAPI document.
import { slugOf } from '../vitepress/slug.ts';
import { code, escapeText, paragraphs, table } from './escape.ts';
import { meaningOf, type Schema, schemaTable, typeOf } from './schema-rows.ts';

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

type Answer = { readonly description: string; readonly content?: Content };

type Security = readonly Readonly<Record<string, unknown>>[];

type Operation = {
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly security?: Security;
};

export type Api = {
  readonly info: { readonly title: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly security?: Security;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
  };
};

/** Operations with a common page. `paths` are starts of their paths, in whole segments. */
export type Group = {
  /** The name of the page's file, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly paths: readonly string[];
};

type Route = { readonly method: string; readonly path: string; readonly operation: Operation };

/** The first page: what the API is, its credentials, the body of errors, and all operations. */
export function apiIndex(api: Api, groups: readonly Group[], guide: string): string {
  const routes = routesOf(api);
  return `${paragraphs(
    `# ${sentence(api.info.title)}: reference`,
    `${escapeText(api.info.description)} [The guide](${guide}) explains how it is used.`,
    '## Credentials',
    table(
      ['name', 'what it is'],
      Object.entries(api.components.securitySchemes).map(([name, { description }]) => [
        code(name),
        escapeText(description),
      ]),
    ),
    '## Operations',
    ...groups.map((group) =>
      operationList(
        group,
        routes.filter((one) => groupOf(one.path, groups) === group),
      ),
    ),
    '## The body of an error',
    schemaTable(errorSchema(routes)),
  )}\n`;
}

function operationList({ name, title }: Group, routes: readonly Route[]): string {
  return paragraphs(
    `### ${title}`,
    table(
      ['operation', 'what it does'],
      routes
        .filter((one) => !isHeadOfGet(one, routes))
        .map((one) => [
          `[${code(titleOf(one))}](${name}.md#${slugOf(titleOf(one))})`,
          escapeText(one.operation.summary ?? ''),
        ]),
    ),
  );
}

/** The page of a group, with a section for each of its operations. */
export function apiPage(api: Api, group: Group, groups: readonly Group[]): string {
  const routes = routesOf(api).filter(({ path }) => groupOf(path, groups) === group);
  const shown = routes.filter((one) => !isHeadOfGet(one, routes));
  return `${paragraphs(
    `# ${group.title}`,
    `[All operations](index.md#operations) of the ${escapeText(api.info.title)}, [credentials](index.md#credentials), [the body of an error](index.md#the-body-of-an-error).`,
    ...shown.map((one) => section(one, { api, shown, routes })),
  )}\n`;
}

/** The group of a path: the one with the longest start. Throws if there is none. */
export function groupOf(path: string, groups: readonly Group[]): Group {
  const fits = groups.flatMap((group) =>
    group.paths
      .filter((start) => path === start || path.startsWith(`${start}/`))
      .map((start) => ({ group, length: start.length })),
  );
  const [best] = fits.toSorted((a, b) => b.length - a.length);
  if (best === undefined)
    throw new Error(`No page of the reference contains ${path}. Add it to a group.`);
  return best.group;
}

function routesOf({ paths }: Api): Route[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function isHeadOfGet({ method, path, operation }: Route, routes: readonly Route[]): boolean {
  if (method !== 'HEAD') return false;
  const same = JSON.stringify(operation);
  return routes.some(
    (one) => one.method === 'GET' && one.path === path && JSON.stringify(one.operation) === same,
  );
}

function titleOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

type Page = {
  readonly api: Api;
  readonly shown: readonly Route[];
  readonly routes: readonly Route[];
};

function section(route: Route, page: Page): string {
  const { operation, path } = route;
  const head = page.routes.some((one) => one.path === path && isHeadOfGet(one, page.routes));
  return paragraphs(
    `## ${titleOf(route)}`,
    operation.summary === undefined ? '' : `${escapeText(operation.summary)}.`,
    head ? '`HEAD` is answered in the same way, without the body.' : '',
    credentialOf(operation.security ?? page.api.security ?? []),
    titled('Parameters', parameterTable(operation.parameters ?? [])),
    ...Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) =>
      titled(`Body, as ${code(type)}`, schemaOf(schema, route, page)),
    ),
    ...answersOf(operation)
      .filter(([status]) => Number(status) < 400)
      .map(([status, answer]) => goodAnswer(status, answer, route, page)),
    titled('Errors', errorTable(operation)),
    ...ownErrors(operation, page.api),
  );
}

function credentialOf(security: Security): string {
  const names = security.flatMap((one) => Object.keys(one)).map(code);
  return names.length === 0 ? 'Needs no credential.' : `Needs a credential: ${names.join(' or ')}.`;
}

function parameterTable(parameters: readonly Parameter[]): string {
  return table(
    ['parameter', 'in', 'type', 'meaning'],
    parameters.map(({ name, in: place, required, description, schema }) => [
      `${code(name)}${required === true ? '' : ' (optional)'}`,
      place,
      typeOf(schema),
      meaningOf({ ...schema, ...(description === undefined ? {} : { description }) }),
    ]),
  );
}

function goodAnswer(status: string, answer: Answer, route: Route, page: Page): string {
  const contents = Object.entries(answer.content ?? {});
  const bodies = contents.filter(([, { schema }]) => hasFields(schema));
  const types = contents.filter(([, { schema }]) => isText(schema)).map(([type]) => code(type));
  return paragraphs(
    `${[`**${status}**`, ...types].join(', ')}: ${escapeText(answer.description)}.`,
    ...bodies.map(([, { schema }]) => schemaOf(schema, route, page)),
  );
}

/** Whether an answer is more than the bytes of a file, or nothing. */
function isText({ type, format }: Schema): boolean {
  return type !== 'null' && format !== 'binary';
}

function hasFields(schema: Schema): boolean {
  return isText(schema) && schema.type !== 'string';
}

/** The fields of a body. If an earlier operation of the page has the same, a link to it. */
function schemaOf(schema: Schema, route: Route, { shown }: Page): string {
  const wanted = fieldsKey(schema);
  const first = shown.find(({ operation }) =>
    schemasOf(operation).some((one) => fieldsKey(one) === wanted),
  );
  if (first === undefined || first === route) return schemaTable(schema);
  const part = isBody(first.operation, wanted) ? 'body' : 'answer';
  return `The same fields as the ${part} of [${code(titleOf(first))}](#${slugOf(titleOf(first))}).`;
}

function isBody({ requestBody }: Operation, wanted: string): boolean {
  return Object.values(requestBody?.content ?? {}).some((one) => fieldsKey(one.schema) === wanted);
}

/** The schema without its own description, which differs between operations. */
function fieldsKey({ description: _, ...fields }: Schema): string {
  return JSON.stringify(fields);
}

function schemasOf({ requestBody, responses }: Operation): Schema[] {
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return [requestBody?.content ?? {}, ...good.map(([, { content = {} }]) => content)].flatMap(
    (content) => Object.values(content).map(({ schema }) => schema),
  );
}

function answersOf({ responses }: Operation): [string, Answer][] {
  const odd = Object.keys(responses).find((status) => !/^\d{3}$/.test(status));
  if (odd !== undefined) throw new Error(`The reference has no place for the status ${odd}`);
  return Object.entries(responses).toSorted(([a], [b]) => Number(a) - Number(b));
}

function errorTable(operation: Operation): string {
  const errors = answersOf(operation).filter(([status]) => Number(status) >= 400);
  return table(
    ['status', 'codes'],
    errors.map(([status, { description }]) => [status, escapeText(description)]),
  );
}

/** The bodies of errors that are not the common one. */
function ownErrors(operation: Operation, api: Api): string[] {
  const common = fieldsKey(errorSchema(routesOf(api)));
  return answersOf(operation)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content = {} }]) =>
      Object.values(content)
        .filter(({ schema }) => fieldsKey(schema) !== common)
        .map(({ schema }) =>
          paragraphs(`The body of ${status} is not the common one:`, schemaTable(schema)),
        ),
    );
}

/** The schema that error answers have in common. */
function errorSchema(routes: readonly Route[]): Schema {
  const all = routes.flatMap(({ operation }) =>
    answersOf(operation)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([, { content = {} }]) => Object.values(content).map(({ schema }) => schema)),
  );
  return all.find(({ properties }) => properties?.['error'] !== undefined) ?? {};
}

function titled(title: string, content: string): string {
  return content === '' ? '' : paragraphs(`**${title}**`, content);
}

/** A title that starts with a capital letter, except for the name of the program. */
function sentence(title: string): string {
  return title.startsWith('svc') ? title : title.charAt(0).toUpperCase() + title.slice(1);
}
