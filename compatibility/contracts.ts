// What programs of others depend on: as the sources say it now, and as it was in the last release.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_ERRORS, describeAgentApi, LiveMessage } from '@svc/contracts/agent';
import { ErrorBody } from '@svc/contracts/errors';
import { PLATFORM_ERRORS } from '@svc/contracts/platform';
import { openPlatform } from '@svc/platform/testing';
import { schemaFiles } from '../packages/cli/scripts/schemas.ts';
import { isGroup } from '../packages/cli/src/command-line/define-command.ts';
import { loadAllCommands } from '../packages/cli/src/commands.ts';
import { EXIT } from '../packages/cli/src/process/exit-codes.ts';
import * as limits from '../packages/trace/src/format/limits.ts';
import { RECORD_ROWS } from '../packages/trace/src/format/record-rows.ts';
import { readVersion } from '../scripts/version.ts';
import { ROOT } from '../scripts/workspaces.ts';
import type { Api } from './compare-apis.ts';
import type { Command } from './compare-commands.ts';
import type { ErrorCodes } from './compare-errors.ts';
import type { Format } from './compare-formats.ts';
import type { Schema } from './compare-schemas.ts';
import { type ReadTrace, readTrace } from './compare-traces.ts';

export type Contracts = {
  readonly version: string;
  readonly apis: Readonly<Record<'platform' | 'agent', Api>>;
  /** The JSON schemas in `packages/cli/schemas`, by the names of their files. */
  readonly documents: Readonly<Record<string, Schema>>;
  readonly commands: readonly Command[];
  readonly exitCodes: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<'platform' | 'agent', ErrorCodes>>;
  /** What the APIs return outside of their documents: the body of every error, and the messages of the dashboard. */
  readonly messages: Readonly<Record<string, Schema>>;
  readonly format: Format;
  /** Traces by the names of their files. */
  readonly traces: Readonly<Record<string, ReadTrace>>;
};

const TRACES = join(ROOT, 'packages/trace/fixtures/golden');

/** The contracts of the last release. */
const BASELINE: string = join(import.meta.dirname, 'baseline');

/** Returns the contracts of the sources. Starts a platform to ask for its document. */
export async function readContracts(): Promise<Contracts> {
  const version = readVersion();
  const documents = [...schemaFiles()].map(([name, text]) => [name, JSON.parse(text)] as const);
  return plain({
    version,
    apis: {
      platform: withoutErrors(await readPlatformApi()),
      agent: withoutErrors(describeAgentApi(version) as Api),
    },
    documents: Object.fromEntries(documents),
    commands: await readCommands(),
    exitCodes: EXIT,
    errors: { platform: statusesOf(PLATFORM_ERRORS), agent: statusesOf(AGENT_ERRORS) },
    messages: { error: ErrorBody, live: LiveMessage } as unknown as Record<string, Schema>,
    format: readFormat(),
    traces: readTraces(),
  });
}

/** The document without what is compared elsewhere, the error answers, and what depends on the server. */
function withoutErrors({ paths, security, components }: Api): Api {
  const kept = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, { responses, ...operation }]) => [
        method,
        {
          ...operation,
          responses: Object.fromEntries(
            Object.entries(responses).filter(([status]) => Number(status) < 400),
          ),
        },
      ]),
    ),
  ]);
  const schemes = Object.entries(components?.securitySchemes ?? {}).map(([name, scheme]) => {
    const { description: _, openIdConnectUrl: __, ...how } = scheme as Schema;
    return [name, how];
  });
  return {
    paths: Object.fromEntries(kept),
    ...(security === undefined ? {} : { security }),
    components: { securitySchemes: Object.fromEntries(schemes) },
  };
}

async function readPlatformApi(): Promise<Api> {
  await using platform = await openPlatform();
  const answer = await fetch(`${platform.baseUrl}/openapi.json`);
  return (await answer.json()) as Api;
}

async function readCommands(): Promise<Command[]> {
  const specs = await loadAllCommands();
  return specs
    .flatMap((spec) =>
      isGroup(spec)
        ? spec.commands.map((one) => ({ name: `${spec.name} ${one.name}`, one }))
        : [{ name: spec.name, one: spec }],
    )
    .map(({ name, one }) => ({
      name,
      arguments: (one.arguments ?? []).map((argument) => argument.name),
      options: (one.options ?? []).map(({ flags, required, choices }) => ({
        flags,
        required: required === true,
        choices: choices ?? null,
      })),
      document: one.document ?? null,
      streaming: one.streaming === true,
    }));
}

function statusesOf(
  errors: Readonly<Record<string, { readonly status: number; readonly exit?: number }>>,
): ErrorCodes {
  return Object.fromEntries(
    Object.entries(errors).map(([code, { status, exit }]) => [
      code,
      exit === undefined ? { status } : { status, exit },
    ]),
  );
}

function readTraces(): Record<string, ReadTrace> {
  const names = readdirSync(TRACES).filter((name) => name.endsWith('.vpt'));
  return Object.fromEntries(
    names.sort().map((name) => [name, readTrace(readFileSync(join(TRACES, name), 'utf8'))]),
  );
}

function readFormat(): Format {
  const { VPT_VERSION, LINE_BYTES, NAME_BYTES, JSON_DEPTH, LATEST_T_MS } = limits;
  const { T_DECIMALS, WEIGHT_DIGITS, SCALE_DIGITS, COUNT_DIGITS } = limits;
  return {
    version: VPT_VERSION,
    limits: {
      ...{ LINE_BYTES, NAME_BYTES, JSON_DEPTH, LATEST_T_MS },
      ...{ T_DECIMALS, WEIGHT_DIGITS, SCALE_DIGITS, COUNT_DIGITS },
    },
    records: Object.fromEntries(
      Object.entries(RECORD_ROWS).map(([type, { fields }]) => [type, { ...fields }]),
    ),
  };
}

/** As JSON keeps it. Schemas have properties that are not enumerable. */
function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** Returns the contracts of the last release. */
export function readBaseline(): Contracts {
  const entries = readdirSync(BASELINE).map((name) => [
    name.replace(/\.json$/, ''),
    JSON.parse(readFileSync(join(BASELINE, name), 'utf8')),
  ]);
  return Object.fromEntries(entries);
}

/** Writes the contracts of the sources as those of the last release. */
export async function writeBaseline(): Promise<void> {
  const contracts = await readContracts();
  rmSync(BASELINE, { recursive: true, force: true });
  mkdirSync(BASELINE);
  for (const [name, content] of Object.entries(contracts)) {
    writeFileSync(join(BASELINE, `${name}.json`), `${JSON.stringify(content, null, 1)}\n`);
  }
}
