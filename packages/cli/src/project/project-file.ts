// Reads and writes `svc.json`, which describes a game's project. It must not contain a token.

import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@svc/contracts/caught';
import { explainInput, findJsonFault } from '@svc/contracts/faults';
import {
  ENGINES,
  type EngineName,
  findTextFaults,
  PLATFORM_LIMITS,
  SLUG_PATTERN,
} from '@svc/contracts/platform';
import { type Static, Type } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { type ErrorDetail, EXIT, ExitError } from '../process/exit-codes.ts';

export const PROJECT_FILE = 'svc.json';

const THE_FILE = { whole: 'the file', field: 'field' };

const limit = (title: string, description: string) =>
  Type.Optional(Type.Number({ minimum: 0, title, description }));

const ratio = (title: string, description: string) =>
  Type.Optional(Type.Number({ exclusiveMinimum: 0, title, description }));

/** Limits for a trace of the game, which `svc trace budget` and `svc check --run` check. */
export const Budgets = Type.Object(
  {
    frame_p99_ms: limit('frame_p99_ms', 'The frame time that 99 % of the frames do not exceed.'),
    hitches: limit('hitches', 'How many frames may take over one and a half times 16.67 ms.'),
    asset_bytes: limit('asset_bytes', 'Decoded sizes of all assets together.'),
    gpu_bytes: limit('gpu_bytes', 'What all assets take on the GPU.'),
    draw_calls: limit('draw_calls', 'The draw calls that 99 % of the frames do not exceed.'),
    shaders: limit('shaders', 'How many shaders are compiled.'),
    rss_bytes: limit('rss_bytes', 'The largest resident memory of the process.'),
    frame_p99_ratio: ratio(
      'frame_p99_ratio',
      'The frame time that 99 % of the frames do not exceed, divided by that of the build in svc check --run --against.',
    ),
    first_frame_ratio: ratio(
      'first_frame_ratio',
      'The time until the first frame, divided by that of the build in svc check --run --against.',
    ),
  },
  { additionalProperties: false, title: 'field "budgets"' },
);
export type Budgets = Static<typeof Budgets>;

/** The schema of svc.json, for the reader and for editors. */
export const ProjectFile = Type.Object(
  {
    $schema: Type.Optional(
      Type.String({
        title: 'field "$schema"',
        description: 'Address of this schema, for editors.',
      }),
    ),
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        title: 'id',
        description: 'Id of the project on the platform; svc publish writes it.',
      }),
    ),
    slug: Type.Optional(
      Type.String({
        minLength: PLATFORM_LIMITS.slug_minimum_characters,
        maxLength: PLATFORM_LIMITS.slug_characters,
        pattern: SLUG_PATTERN,
        title: 'slug',
        description:
          'lower-case letters (a-z), digits, and single hyphens between them, such as moon-hop. It is the end of the game’s address, and made from the title where it is absent',
      }),
    ),
    title: Type.String({
      minLength: 1,
      maxLength: PLATFORM_LIMITS.title_characters,
      title: 'title',
      description: 'The game’s name for people.',
    }),
    engine: Type.Optional(
      Type.Enum([...ENGINES], { title: 'engine', description: 'What it was made with.' }),
    ),
    build: Type.Optional(
      Type.String({
        minLength: 1,
        title: 'build',
        description: 'Folder or ZIP to publish, relative to this file.',
      }),
    ),
    ignore: Type.Optional(
      Type.Array(Type.String({ title: 'entry of "ignore"' }), {
        title: 'field "ignore"',
        description: 'What is left out of the build, in the syntax of .gitignore.',
      }),
    ),
    budgets: Type.Optional(Budgets),
  },
  { additionalProperties: false },
);
export type ProjectFile = Static<typeof ProjectFile>;
export type { EngineName };

/** A personal access token, complete or cut off. */
const TOKEN_LIKE = /svc_[0-9A-Za-z]{16,}/;

/** Reads the project file of a folder. Returns null if there is none. Throws an ExitError (7) if it is not valid. */
export function readProjectFile(folder: string): ProjectFile | null {
  const text = readText(folder);
  if (text === null) return null;
  if (TOKEN_LIKE.test(text)) {
    throw new ExitError(
      EXIT.invalid,
      'token_in_project_file',
      `Cannot use ${PROJECT_FILE}: it contains a token.`,
      {
        hint: 'Anyone with this file has the token. Remove it, revoke it with svc token revoke, and log in with svc login.',
      },
    );
  }
  return parseProject(text);
}

function readText(folder: string): string | null {
  try {
    return readFileSync(join(folder, PROJECT_FILE), 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    const reason = messageOf(error);
    throw new ExitError(
      EXIT.invalid,
      'project_file_invalid',
      `Cannot read ${PROJECT_FILE}: ${reason}.`,
      {
        cause: error,
      },
    );
  }
}

function parseProject(text: string): ProjectFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(text, error);
  }
  const details = findFaults(value);
  // Without a fault, the value matches the schema.
  if (details.length === 0) return value as ProjectFile;
  const count = details.length === 1 ? 'a mistake' : `${details.length} mistakes`;
  throw new ExitError(
    EXIT.invalid,
    'project_file_invalid',
    `Cannot use ${PROJECT_FILE}: it has ${count}.`,
    {
      details,
      hint: 'Run svc help init for a description of its fields.',
    },
  );
}

function findFaults(value: unknown): ErrorDetail[] {
  const texts = findTextFaults(value).map(({ path, message }) => ({
    path,
    message: `${message}.`,
  }));
  if (Check(ProjectFile, value)) return texts;
  const reported = Errors(ProjectFile, value)[0]?.instancePath;
  const faults = explainInput(ProjectFile, value, THE_FILE, reported).map(({ path, message }) => ({
    path: path === '' ? PROJECT_FILE : path.slice(1),
    message: `${message}.`,
  }));
  return [...faults, ...texts];
}

function notJson(text: string, cause: unknown): ExitError {
  const fault = findJsonFault(text, PROJECT_FILE);
  const message = fault?.message ?? `${PROJECT_FILE} is not valid JSON`;
  return new ExitError(EXIT.invalid, 'project_file_invalid', `${message}.`, {
    line: fault?.line,
    column: fault?.column,
    cause,
  });
}

/** Writes the project file atomically. */
export function writeProjectFile(folder: string, project: ProjectFile): void {
  const path = join(folder, PROJECT_FILE);
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(aside, `${JSON.stringify(project, null, 2)}\n`, { flag: 'wx' });
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    const reason = messageOf(error);
    throw new ExitError(
      EXIT.unexpected,
      'project_file_not_saved',
      `Cannot write ${path}: ${reason}.`,
      {
        cause: error,
      },
    );
  }
}

/** Reads the project file. Throws an ExitError (7) if it is missing or not valid. */
export function requireProjectFile(folder: string): ProjectFile {
  const project = readProjectFile(folder);
  if (project !== null) return project;
  throw new ExitError(
    EXIT.invalid,
    'no_project_file',
    `There is no ${PROJECT_FILE} in ${folder}.`,
    {
      hint: 'Run svc init to create it.',
    },
  );
}

/** The project id in the project file. Throws an ExitError (5) if the game was never published. */
export function requireProjectId(folder: string): string {
  const { id } = requireProjectFile(folder);
  if (id !== undefined) return id;
  throw new ExitError(
    EXIT.not_found,
    'not_published_yet',
    `The game in ${folder} has not been published yet.`,
    {
      hint: 'Run svc publish. It creates the project and writes its id into svc.json.',
    },
  );
}
