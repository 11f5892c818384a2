// Whether an API changed so that programs that were written for the one before fail. The documents are OpenAPI 3.1.
import { isDeepStrictEqual } from 'node:util';
import { type Change, compareSchemas, type Schema } from './compare-schemas.ts';

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
};
type Operation = {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly security?: Security;
};
type Security = readonly Readonly<Record<string, unknown>>[];

export type Api = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** What each operation requires that says nothing else. */
  readonly security?: Security;
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, unknown>> };
};

/** Returns the changes from one API to the other that break programs. */
export function compareApis(before: Api, after: Api): Change[] {
  const operations = Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const where = `${method.toUpperCase()} ${path}`;
      const next = after.paths[path]?.[method];
      if (next === undefined) return [{ where, what: 'is gone' }];
      const old = operation.security ?? before.security ?? [];
      return [
        ...compareSecurity(old, next.security ?? after.security ?? [], where),
        ...compareParameters(operation, next, where),
        ...compareBodies(operation, next, where),
        ...compareAnswers(operation, next, where),
      ];
    }),
  );
  return [...compareSchemes(before, after), ...operations];
}

function compareSchemes(before: Api, after: Api): Change[] {
  const now = after.components?.securitySchemes ?? {};
  return Object.entries(before.components?.securitySchemes ?? {})
    .filter(([name, scheme]) => !isDeepStrictEqual(scheme, now[name]))
    .map(([name]) => ({ where: `credential ${name}`, what: 'is sent in another way' }));
}

function compareSecurity(old: Security, accepted: Security, where: string): Change[] {
  if (accepted.length === 0) return [];
  if (old.length === 0) return [{ where, what: 'requires a credential' }];
  return old
    .filter((one) => !accepted.some((other) => isDeepStrictEqual(one, other)))
    .map((one) => ({ where, what: `no longer accepts the credential ${Object.keys(one)[0]}` }));
}

function compareParameters(before: Operation, after: Operation, where: string): Change[] {
  const [old, now] = [before.parameters ?? [], after.parameters ?? []];
  const same = (one: Parameter) => (other: Parameter) =>
    one.in === other.in && one.name === other.name;
  const changes = old.flatMap((one): Change[] => {
    const at = `${where}: ${one.in} ${one.name}`;
    const next = now.find(same(one));
    if (next === undefined) return [{ where: at, what: 'is gone' }];
    const isRequired = next.required === true && one.required !== true;
    return [
      ...(isRequired ? [{ where: at, what: 'is required now' }] : []),
      ...compareSchemas(one.schema ?? {}, next.schema ?? {}, 'accepted', at),
    ];
  });
  const added = now.filter((one) => one.required === true && !old.some(same(one)));
  return [
    ...changes,
    ...added.map((one) => ({ where: `${where}: ${one.in} ${one.name}`, what: 'is required now' })),
  ];
}

function compareBodies(before: Operation, after: Operation, where: string): Change[] {
  const [old, now] = [before.requestBody, after.requestBody];
  const at = `${where}: body`;
  const needs = now?.required === true && old?.required !== true;
  return [
    ...(needs ? [{ where: at, what: 'is required now' }] : []),
    ...Object.entries(old?.content ?? {}).flatMap(([type, { schema = {} }]) => {
      const next = now?.content[type];
      if (next === undefined) return [{ where: at, what: `is no longer accepted as ${type}` }];
      return compareSchemas(schema, next.schema ?? {}, 'accepted', `${at} (${type})`);
    }),
  ];
}

const isSuccess = (status: string): boolean => Number(status) < 400;

/** Errors of an operation may come and go. A success keeps its status and its fields. */
function compareAnswers(before: Operation, after: Operation, where: string): Change[] {
  const added = Object.keys(after.responses).filter(
    (status) => isSuccess(status) && before.responses[status] === undefined,
  );
  const kept = Object.entries(before.responses).flatMap(([status, { content = {} }]): Change[] => {
    const next = after.responses[status];
    const at = `${where}: ${status}`;
    if (next === undefined) return isSuccess(status) ? [{ where: at, what: 'is gone' }] : [];
    return Object.entries(content).flatMap(([type, { schema = {} }]): Change[] => {
      const answer = next.content?.[type];
      if (answer === undefined) return [{ where: at, what: `is no longer ${type}` }];
      return compareSchemas(schema, answer.schema ?? {}, 'returned', at);
    });
  });
  return [...kept, ...added.map((status) => ({ where, what: `can answer with ${status}` }))];
}
