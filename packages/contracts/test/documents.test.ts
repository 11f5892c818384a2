// The documents agree with the contracts: every route with its callers, and every code, exit code and limit.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  AGENT_DEFAULT_PORT,
  AGENT_ERRORS,
  AGENT_JSON_BODY_BYTES,
  AGENT_LIMITS,
  AGENT_ROUTES,
  type AgentRouteRow,
  DEFAULT_KEY_PROVIDER,
  ENDING_RESERVE_BYTES,
  EXIT_SEEN_MS,
  FLUSH_MS,
  LIVE_DRAIN_MS,
  LIVE_ENDED,
  LIVE_POLICY,
  LIVE_SUBPROTOCOL,
  NOTE_LIMITS,
  TRACE_NAME_HEADER,
  TRACE_PARTIAL_HEADER,
  TTL_MS,
  UNAUTHENTICATED_CONNECTIONS,
} from '../src/agent.ts';
import {
  EXIT,
  PLATFORM_CONDITIONS,
  PLATFORM_ERRORS,
  PLATFORM_LIMITS,
  RESERVED_SLUGS,
  ROUTES,
  type RouteRow,
  SLUG_PATTERN,
} from '../src/platform.ts';

const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8');
const PLATFORM = read('platform-api.md');
const AGENT = read('agent-api.md');

/** The cells of each row of the first table below a heading. */
function tableOf(text: string, heading: string): string[][] {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const [body = ''] = section.split('\n## ');
  const [table = ''] = body.slice(body.indexOf('\n| ') + 1).split('\n\n');
  const rows = table.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((line) =>
    line
      .slice(2, line.lastIndexOf('|'))
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

const WHO: Readonly<Record<RouteRow['auth'], string>> = {
  public: '—',
  session: 'session',
  any: 'session or any token',
  read: 'session, or token with `read`',
  publish: 'session, or token with `publish`',
};

test('docs/platform-api.md lists exactly the routes of the contract, with their callers and status', () => {
  const documented = tableOf(PLATFORM, 'Calls').filter(
    ([call = '']) => !/play|media|openapi/.test(call),
  );
  const rows = Object.values(ROUTES).map((row: RouteRow) => {
    const who = `${WHO[row.auth]}${row.developer ? ', developer' : ''}${row.admin ? ', administrator' : ''}`;
    return [`\`${row.method} ${row.path}\``, who, String(row.status)];
  });
  assert.deepEqual(
    rows,
    documented.map((cells) => cells.slice(0, 3)),
  );
});

test('docs/platform-api.md lists exactly the error codes, with status, exit code and meaning', () => {
  const rows = Object.entries(PLATFORM_ERRORS).map(([code, { status, exit, meaning }]) => {
    return [`\`${code}\``, String(status), String(exit), meaning];
  });
  assert.deepEqual(rows, tableOf(PLATFORM, 'Errors'));
});

test('docs/platform-api.md lists exactly the limits with their values', () => {
  const rows = Object.entries(PLATFORM_LIMITS).map(([name, value]) => {
    return [`\`${name}\``, value.toLocaleString('en')];
  });
  assert.deepEqual(rows, tableOf(PLATFORM, 'Limits'));
});

test('docs/cli.md lists exactly the exit codes', () => {
  const documented = tableOf(read('cli.md'), 'Exit codes');
  assert.deepEqual(
    Object.values(EXIT).map(String),
    documented.map(([code]) => code),
  );
  const meanings: Readonly<Record<keyof typeof EXIT, RegExp>> = {
    done: /^done$/,
    unexpected: /^unexpected failure/,
    usage: /^wrong usage$/,
    unauthenticated: /^not logged in/,
    forbidden: /^forbidden/,
    not_found: /^not found/,
    conflict: /^conflict/,
    invalid: /^bad build or bad input, or a limit is exceeded$/,
    too_large: /^too large/,
    does_not_start: /^the game does not start; `svc publish` has already published or staged it$/,
    unreachable: /^network failure/,
    server: /^the server failed$/,
    interrupted: /^interrupted$/,
  };
  for (const [name, meaning] of Object.entries(meanings)) {
    const code = String(EXIT[name as keyof typeof EXIT]);
    assert.match(documented.find(([one]) => one === code)?.[1] ?? '', meaning, name);
  }
});

test('each error that the server reports before a route has its status', () => {
  const statuses = Object.entries(PLATFORM_CONDITIONS).map(([condition, code]) => {
    return [condition, PLATFORM_ERRORS[code].status];
  });
  assert.deepEqual(Object.fromEntries(statuses), {
    malformed: 400,
    invalid_input: 400,
    not_found: 404,
    method_not_allowed: 405,
    body_too_large: 413,
    media_type: 415,
    too_slow: 408,
    too_long: 503,
    busy: 503,
    closing: 503,
    internal: 500,
  });
  assert.deepEqual(
    [PLATFORM_CONDITIONS.too_long, PLATFORM_CONDITIONS.busy, PLATFORM_CONDITIONS.closing],
    ['busy', 'busy', 'shutting_down'],
  );
});

/** The error codes in a cell, each with its status: `400 a; 409 b, c`. Text in brackets is ignored. */
function refusalsIn(cell: string): [code: string, status: number][] {
  return cell.split(';').flatMap((part) => {
    let status = 0;
    return [...part.replace(/\([^)]*\)/g, '').matchAll(/\b(\d{3})\b|`(\w+)`/g)].flatMap(
      ([, number, code]): [string, number][] => {
        if (number !== undefined) status = Number(number);
        return code === undefined ? [] : [[code, status]];
      },
    );
  });
}

/** Codes of every route, or of every route with a JSON body. The document lists them before the table. */
const LISTED_BEFORE = [
  'unauthenticated',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_input',
];

test('docs/agent-api.md lists exactly the routes of the contract, with their statuses and errors', () => {
  let above = '';
  const documented = tableOf(AGENT, 'Endpoints').map(([call, success = '', cell = '']) => {
    const refusals = cell.includes('as above') ? above : cell;
    above = refusals;
    const statuses = [...success.matchAll(/\b(?:101|20[046])\b/g)].map(([status]) =>
      Number(status),
    );
    const own = refusalsIn(refusals).filter(([code]) => !LISTED_BEFORE.includes(code));
    return { call, statuses, own: own.sort() };
  });
  const routes: AgentRouteRow[] = Object.values(AGENT_ROUTES);
  const rows = routes.map(({ method, path, status, partialStatus = status, errors }) => {
    const own = errors.filter((code) => !LISTED_BEFORE.includes(code));
    return {
      call: `\`${method} ${path}\``,
      statuses: [...new Set([status, partialStatus])],
      own: own.map((code): [string, number] => [code, AGENT_ERRORS[code].status]).sort(),
    };
  });
  assert.deepEqual(rows, documented);
});

test('docs/agent-api.md gives every code the status that the table has', () => {
  const named = [...AGENT.matchAll(/\b(4\d\d|50\d)(?: \(?|, )?`(\w+)`|`(\w+)` \((4\d\d|50\d)\)/g)];
  const statuses = new Map<string, number>();
  for (const [, before, code, other, behind] of named) {
    statuses.set(String(code ?? other), Number(before ?? behind));
  }
  const known = [...statuses].filter(([code]) => Object.hasOwn(AGENT_ERRORS, code));
  assert.ok(known.length >= 15, String(known.length));
  for (const [code, status] of known) {
    assert.equal(AGENT_ERRORS[code as keyof typeof AGENT_ERRORS].status, status, code);
  }
});

test('the agent’s limits are those in its documents', () => {
  const minute = 60_000;
  const mib = 1024 * 1024;
  assert.deepEqual(AGENT_LIMITS, {
    live_clients: 4,
    handlers: 8,
    exclusive_work: 1,
    request_ms: 30_000,
    provider_ms: 20_000,
    summary_bytes: 24_000,
    provider_response_bytes: 262_144,
    sample_hz: 1,
    live_hz: 1,
    storage_cap_bytes: 256 * mib,
    import_bytes: 2048 * mib,
    line_bytes: mib,
  });
  assert.deepEqual(TTL_MS, { default: 480 * minute, maximum: 1440 * minute });
  const { live_clients, handlers, request_ms, provider_ms, provider_response_bytes } = AGENT_LIMITS;
  for (const sentence of [
    `fewer than ${handlers} requests are being handled`,
    `${request_ms / 1000} s from first byte to last`,
    `At most ${UNAUTHENTICATED_CONNECTIONS} connections may be open without a request`,
    `of at most ${AGENT_JSON_BODY_BYTES / 1024} KiB`,
    `${NOTE_LIMITS.body_bytes / mib} MiB for notes`,
    `Each request has 1 to ${NOTE_LIMITS.per_request} notes`,
    `a text of 1 to ${NOTE_LIMITS.id_characters} characters`,
    `at most ${NOTE_LIMITS.text_characters.toLocaleString('en')} characters`,
    `from 0 to ${NOTE_LIMITS.latest_ms.toLocaleString('en')}`,
    `at most ${NOTE_LIMITS.kept_ids.toLocaleString('en')} ids and ${NOTE_LIMITS.kept_bytes / mib} MiB of lines`,
    `At most ${live_clients} clients may be connected.`,
    `closed with ${LIVE_POLICY}.`,
    `followed by close code ${LIVE_ENDED}.`,
    `101, \`${LIVE_SUBPROTOCOL}\` selected`,
    `not read a message for ${LIVE_DRAIN_MS / 1000} s`,
    `may take ${provider_ms / 1000} s in total and have at most ${provider_response_bytes / 1024} KiB`,
    `at most ${AGENT_LIMITS.summary_bytes.toLocaleString('en')} bytes`,
    `${ENDING_RESERVE_BYTES / 1024} KiB of the cap, and ${ENDING_RESERVE_BYTES / 1024} KiB of the disk`,
    `finished and renamed (at most ${FLUSH_MS / 1000} s`,
    `exit is detected within ${EXIT_SEEN_MS} ms`,
    `127.0.0.1:${AGENT_DEFAULT_PORT}`,
    `\`${TRACE_NAME_HEADER}\` names it`,
    `\`${TRACE_PARTIAL_HEADER}\` is \`true\` during a capture`,
    `stores a key (default \`${DEFAULT_KEY_PROVIDER}\`)`,
  ]) {
    assert.ok(AGENT.includes(sentence), sentence);
  }
});

test('only the agent’s routes with a JSON body reject invalid JSON', () => {
  const json = ['invalid_input', 'unsupported_media_type'];
  for (const [name, { takes, errors }] of Object.entries(AGENT_ROUTES)) {
    const own = json.filter((code) => errors.some((one) => one === code));
    assert.deepEqual(own, takes === 'json' ? json : [], name);
  }
});

test('the address of a game cannot hide a route of the platform', () => {
  const firsts = Object.values(ROUTES).map(({ path }) => path.split('/')[1] ?? '');
  const names = new Set([...firsts, 'play', 'media']);
  const possible = [...names].filter(
    (name) => name.length >= PLATFORM_LIMITS.slug_minimum_characters,
  );
  assert.ok(possible.length > 10, String(possible));
  assert.deepEqual(
    possible.filter((name) => !RESERVED_SLUGS.includes(name)),
    [],
  );
  for (const slug of RESERVED_SLUGS) assert.match(slug, new RegExp(SLUG_PATTERN));
});
