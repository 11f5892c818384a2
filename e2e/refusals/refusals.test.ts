// Violates every constraint of every request of both APIs at the real servers. Each error message must be readable.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, startTestAgent } from '@svc/agent/testing';
import { AGENT_ROUTES } from '@svc/contracts/agent';
import { QUERIES, REQUESTS, ROUTES, type RouteRow } from '@svc/contracts/platform';
import { makeAdmin, makeZip, openPlatform } from '@svc/platform/testing';
import {
  type Constraint,
  constraintsOf,
  countConstraints,
  exampleOf,
  type Schema,
} from './constraints.ts';
import { assertReadable, type Refusal, refusalIn } from './readable.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const ROWS: Readonly<Record<string, RouteRow>> = ROUTES;

/** The parts of multipart bodies other than files. A route that is missing here fails the test. */
const FORMS: Readonly<Record<string, { schema: Schema; form: (input: unknown) => FormData }>> = {
  updateStore: { schema: asSchema(REQUESTS.StoreMetadata), form: metadataForm },
  publish: { schema: asSchema(REQUESTS.PublishFields), form: publishForm },
};

/** Routes whose forms contain only files, which no schema describes. */
const FILES_ONLY = ['uploadAvatar'];

type Send = (input: unknown) => Promise<Refusal>;

type WalkOptions = {
  /** Constraints that no request can violate. */
  readonly unreachable?: (constraint: Constraint) => boolean;
  /** The name for text in errors. */
  readonly text?: string;
  /** The name for the complete input in errors. */
  readonly whole?: string;
};

/** Sends an invalid input for each constraint and checks the error. */
async function walk(
  about: string,
  schema: Schema,
  send: Send,
  { unreachable = () => false, text = 'text', whole = 'body' }: WalkOptions = {},
): Promise<{ sent: number; skipped: number }> {
  const constraints = constraintsOf(schema, whole);
  assert.equal(
    constraints.length,
    countConstraints(schema),
    `${about}: every constraint is visited`,
  );
  let sent = 0;
  for (const constraint of constraints) {
    if (unreachable(constraint)) continue;
    const { path, rule, input, names } = constraint;
    const expected = rule === 'type' ? names.map((name) => (name === 'text' ? text : name)) : names;
    assertReadable(await send(input), expected, `${about} ${path.join('.')} ${rule}`);
    sent++;
  }
  return { sent, skipped: constraints.length - sent };
}

test('platform: the error for each constraint names the field and the allowed values', async () => {
  const much = 1_000_000;
  await using platform = await openPlatform({
    limits: {
      rate_writes_per_minute: much,
      rate_sessions_per_minute: much,
      rate_reports_per_minute: much,
    },
  });
  const ada = await makeAdmin(platform, 'Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Moon Hop' } });
  const call = async (row: RouteRow, query: string, init: RequestInit): Promise<Refusal> => {
    const path = row.path
      .replace(':id', game.id)
      .replace(':slug', game.slug)
      .replaceAll(/:\w+/g, 'x');
    const headers = { ...Object(init.headers), authorization: `Bearer ${ada.idToken}` };
    const answer = await fetch(platform.baseUrl + path + query, {
      ...init,
      method: row.method,
      headers,
    });
    return refusalIn(answer.status, answer.status === 204 ? null : await answer.json());
  };
  let sent = 0;
  for (const [name, row] of Object.entries(ROWS)) {
    // The bytes of a stream have no schema.
    const kinds = ['none', 'json', 'form', 'multipart', 'stream'];
    assert.ok(kinds.includes(row.takes), `${name}: its body is walked`);
    // The router passes each parameter as text, and an unknown name is 404.
    assert.ok(isOnlyText(asSchema(row.params)), `${name}: parameters of the path are any text`);
    // A query is parsed as an object of strings.
    const isRoot = ({ path, rule }: Constraint): boolean => path.length === 0 && rule === 'type';
    const body: RequestInit =
      row.takes === 'json'
        ? toBody(exampleOf(asSchema(row.body)))
        : row.takes === 'form'
          ? toForm(exampleOf(asSchema(row.body)))
          : {};
    if (row.takes !== 'multipart') {
      const query = asSchema(row.query);
      const ofQuery = await walk(
        `${name} query`,
        query,
        (input) => call(row, toQuery(input), body),
        { unreachable: isRoot, text: 'once' },
      );
      assert.equal(ofQuery.skipped, 1, name);
      sent += ofQuery.sent;
    }
    if (row.takes === 'json') {
      const ofBody = await walk(name, asSchema(row.body), (input) => call(row, '', toBody(input)));
      sent += ofBody.sent;
    } else if (row.takes === 'form') {
      // An empty parameter counts as absent.
      const isLost = (one: Constraint): boolean => isRoot(one) || one.rule === 'minLength';
      const ofForm = await walk(name, asSchema(row.body), (input) => call(row, '', toForm(input)), {
        unreachable: isLost,
        text: 'once',
      });
      const texts = Object.values(Object(asSchema(row.body)['properties'])).filter(hasLeastLength);
      assert.equal(ofForm.skipped, 1 + texts.length, name);
      sent += ofForm.sent;
    } else if (row.takes === 'multipart' && !FILES_ONLY.includes(name)) {
      const parts = FORMS[name];
      assert.ok(parts !== undefined, `${name}: its parts are listed`);
      const { schema, form } = parts;
      // The parts of a publish are plain text.
      const isTyped = ({ rule }: Constraint): boolean => name === 'publish' && rule === 'type';
      const ofForm = await walk(name, schema, (input) => call(row, '', { body: form(input) }), {
        unreachable: isTyped,
        whole: 'metadata',
      });
      assert.equal(ofForm.skipped, name === 'publish' ? 3 : 0);
      sent += ofForm.sent;
    }
  }
  const ofDryRun = await walk(
    'publish query',
    asSchema(QUERIES.publish),
    (input) => call(ROUTES.publish, toQuery(input), { body: publishForm({ version: '1' }) }),
    { unreachable: ({ path, rule }) => path.length === 0 && rule === 'type', text: 'once' },
  );
  assert.ok(sent + ofDryRun.sent > 200, `${sent} constraints were broken`);
});

test('agent: the error for each constraint names the field and the allowed values', async () => {
  await using running = await startTestAgent();
  let sent = 0;
  for (const [name, { method, path, takes, body: schema }] of Object.entries(AGENT_ROUTES)) {
    if (takes !== 'json') continue;
    const walked = await walk(name, asSchema(schema), async (input) => {
      const body = JSON.stringify(input);
      const { status, json } = await ask(running, method, path, { headers: JSON_TYPE, body });
      return refusalIn(status, json);
    });
    sent += walked.sent;
  }
  assert.ok(sent > 30, `${sent} constraints were broken`);
});

function asSchema(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema;
}

function isOnlyText({ type, properties, required = [], ...others }: Schema): boolean {
  const fields = Object.values(Object(properties));
  assert.deepEqual(Object.keys(others), []);
  assert.equal(Object(required).length, fields.length);
  return (
    type === 'object' &&
    fields.every((field) => {
      const { title: _, ...rest } = Object(field);
      return JSON.stringify(rest) === '{"type":"string"}';
    })
  );
}

/** A query string. A value that is not a string becomes a repeated parameter. */
function toForm(input: unknown): RequestInit {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { body: toQuery(input).replace('?', ''), headers };
}

function toQuery(input: unknown): string {
  const pairs = Object.entries(Object(input)).flatMap(([name, value]) =>
    typeof value === 'string' || name === 'zzqx'
      ? [[name, `${value}`]]
      : [
          [name, '1'],
          [name, '2'],
        ],
  );
  return `?${new URLSearchParams(pairs)}`;
}

function metadataForm(input: unknown): FormData {
  const form = new FormData();
  form.set('metadata', JSON.stringify(input));
  return form;
}

function publishForm(input: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(Object(input))) form.set(name, `${value}`);
  const zip = makeZip({ 'index.html': '<!doctype html>' });
  form.set('build', new Blob([new Uint8Array(zip)]), 'build.zip');
  return form;
}

function toBody(input: unknown): RequestInit {
  return { headers: JSON_TYPE, body: JSON.stringify(input) };
}

function hasLeastLength(schema: unknown): boolean {
  return Object.hasOwn(Object(schema), 'minLength');
}
