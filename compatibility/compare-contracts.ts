// What changed since the last release that breaks programs, and whether the version says so.
import assert from 'node:assert/strict';
import { gte, inc, lt } from 'semver';
import { compareApis } from './compare-apis.ts';
import { compareCommands } from './compare-commands.ts';
import { compareErrors } from './compare-errors.ts';
import { compareFormats } from './compare-formats.ts';
import { type Change, compareSchemas } from './compare-schemas.ts';
import { compareTraces } from './compare-traces.ts';
import type { Contracts } from './contracts.ts';

/** The only document that svc reads. It writes all others. */
const READ = 'svc.json';

/** Returns a sentence for each change that breaks programs, if the version does not say so. */
export function contractFaults(before: Contracts, after: Contracts): string[] {
  const from = before.version;
  if (lt(after.version, from)) {
    return [`The version ${after.version} is older than the last release, ${from}.`];
  }
  const changes = gte(after.version, nextBreaking(from)) ? [] : programChanges(before, after);
  return [
    ...changes.map(
      (one) =>
        `${sentence(one, from)} Undo it, or take the step to ${nextBreaking(from)}: npm run set-version -- ${nextBreaking(from)}.`,
    ),
    ...formatChanges(before, after).map(
      (one) =>
        `${sentence(one, from)} Undo it, or increase VPT_VERSION and read files of both versions.`,
    ),
  ];
}

function formatChanges(before: Contracts, after: Contracts): Change[] {
  const [old, now] = [before.format.version, after.format.version];
  if (now > old) return compareTraces(before.traces);
  if (now < old) return [{ where: 'VPT_VERSION', what: 'is smaller' }];
  return [...compareFormats(before.format, after.format), ...compareTraces(before.traces)];
}

function sentence({ where, what }: Change, version: string): string {
  return `Since ${version}, "${where}" ${what}.`;
}

function programChanges(before: Contracts, after: Contracts): Change[] {
  return [
    ...within('platform API', compareApis(before.apis.platform, after.apis.platform)),
    ...within('dashboard API', compareApis(before.apis.agent, after.apis.agent)),
    ...compareCommands(before.commands, after.commands),
    ...within('platform API', compareErrors(before.errors.platform, after.errors.platform)),
    ...within('dashboard API', compareErrors(before.errors.agent, after.errors.agent)),
    ...compareDocuments(before.messages, after.messages),
    ...compareDocuments(before.documents, after.documents),
    ...Object.entries(before.exitCodes)
      .filter(([name, code]) => after.exitCodes[name] !== code)
      .map(([name, code]) => ({ where: `exit code ${code}`, what: `no longer means ${name}` })),
  ];
}

function compareDocuments(before: Contracts['documents'], after: Contracts['documents']): Change[] {
  return Object.entries(before).flatMap(([name, schema]): Change[] => {
    const next = after[name];
    if (next === undefined) return [{ where: name, what: 'is gone' }];
    return within(name, compareSchemas(schema, next, name === READ ? 'accepted' : 'returned', ''));
  });
}

function within(name: string, changes: readonly Change[]): Change[] {
  return changes.map(({ where, what }) => ({ where: `${name}: ${where}`, what }));
}

/** Semantic Versioning 2.0.0: before 1.0.0 a minor step may break programs, later only a major one. */
function nextBreaking(version: string): string {
  return inc(version, lt(version, '1.0.0') ? 'minor' : 'major') ?? assert.fail(version);
}
