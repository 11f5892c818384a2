// Reads and checks the form of a publish: the version, the notes and the build.
import { explainInput, FORM } from '@svc/contracts/faults';
import { type PlatformLimits, type PublishFields, requestSchemas } from '@svc/contracts/platform';
import type { FastifyRequest } from 'fastify';
import { Value } from 'typebox/value';
import type { GamesTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { checkTexts } from '../http/check-texts.ts';
import { type PartRule, readParts, type SpooledFile } from '../http/read-parts.ts';
import type { Platform } from '../platform.ts';

const BYTES_PER_CHARACTER = 4;

/** The form of a publish, with the build as a file in the spool folder. */
export type Upload = PublishFields & { readonly build: SpooledFile };

/** Reads the form of a publish. Throws `invalid_input`, `version_exists`, and the errors of `readParts`. */
export async function readUpload(
  platform: Platform,
  game: GamesTable,
  request: FastifyRequest,
  folder: SpoolFolder,
): Promise<Upload> {
  const { limits } = platform;
  // An invalid version is rejected as soon as it has arrived, before the build if the texts come first.
  const { texts, files } = await readParts(request, {
    folder,
    rules: partRules(limits),
    silenceSeconds: limits.upload_silence_seconds,
    onText: async (name, value) => {
      if (name === 'version') await checkVersion(platform, game, value);
      if (name === 'notes') checkNotes(limits, value);
    },
  });
  const version = texts.get('version');
  const build = files.get('build')?.[0];
  if (version === undefined) throw missingPart('version');
  if (build === undefined) throw missingPart('build');
  const fields: PublishFields = {
    version,
    ...(texts.has('notes') ? { notes: texts.get('notes') ?? '' } : {}),
  };
  checkFields(limits, fields);
  return { ...fields, build };
}

function partRules(limits: PlatformLimits): Record<string, PartRule> {
  const text = (characters: number): PartRule => ({
    kind: 'text',
    bytes: characters * BYTES_PER_CHARACTER,
    characters,
    times: 1,
  });
  return {
    version: text(limits.version_characters),
    notes: text(limits.notes_characters),
    build: { kind: 'file', bytes: limits.build_zip_bytes, times: 1 },
  };
}

function missingPart(name: string) {
  const message = `The ${name} is missing. Add the part "${name}"`;
  return failure('invalid_input', message, { details: [{ path: name, message }] });
}

/** Throws `invalid_input` for a text part that does not fit its schema. */
function checkFields(limits: PlatformLimits, fields: PublishFields): void {
  const schema = requestSchemas(limits).PublishFields;
  if (Value.Check(schema, fields)) return;
  const faults = explainInput(schema, fields, FORM, Value.Errors(schema, fields)[0]?.instancePath);
  throw failure('invalid_input', faults[0].message, {
    details: faults.map(({ path, message }) => ({ path: path.slice(1), message })),
  });
}

function checkNotes(limits: PlatformLimits, notes: string): void {
  // The schema requires a version. The real one may arrive later and has its own check.
  checkFields(limits, { version: '1', notes });
  checkTexts({ notes }, (field) => field);
}

/** Throws `invalid_input` or `version_exists` for a version that cannot be used. */
export async function checkVersion(
  platform: Platform,
  game: GamesTable,
  version: string,
): Promise<void> {
  checkFields(platform.limits, { version });
  const used = await platform.db
    .selectFrom('releases')
    .select('id')
    .where('game_id', '=', game.id)
    .where('version', '=', version)
    .executeTakeFirst();
  if (used !== undefined) {
    const message = `The version "${version}" was used before. Choose another`;
    throw failure('version_exists', message, { details: [{ path: 'version', message }] });
  }
}
