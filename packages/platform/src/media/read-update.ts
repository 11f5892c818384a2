// Reads and checks the form of a store page update: the metadata, the images and the trailer.
import { explainInput, findJsonFault, type JsonFault } from '@svc/contracts/faults';
import { type PlatformLimits, requestSchemas, type StoreMetadata } from '@svc/contracts/platform';
import type { FastifyRequest } from 'fastify';
import { Value } from 'typebox/value';
import { failure } from '../failure.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { checkTexts } from '../http/check-texts.ts';
import { type PartRule, type Parts, readParts } from '../http/read-parts.ts';

const METADATA = { whole: 'the part "metadata"', field: 'field' };

/** The form of an update. The files of the parts are in the spool folder. */
type StoreUpdate = { readonly metadata: StoreMetadata; readonly parts: Parts };

/** Reads the form. Throws `invalid_input` and the errors of `readParts`. */
export async function readUpdate(
  limits: PlatformLimits,
  request: FastifyRequest,
  folder: SpoolFolder,
): Promise<StoreUpdate> {
  const parts = await readParts(request, {
    folder,
    rules: partRules(limits),
    silenceSeconds: limits.upload_silence_seconds,
  });
  const metadata = readMetadata(limits, parts.texts.get('metadata'));
  checkTwice(metadata, parts);
  return { metadata, parts };
}

/** Creates the error for a fault of the metadata. `path` is a JSON pointer into it. */
export function metadataError(
  path: string,
  message: string,
  { line, column }: Partial<JsonFault> = {},
) {
  return failure('invalid_input', message, {
    details: [{ path: `metadata${path}`, message }],
    ...(line === undefined || column === undefined ? {} : { line, column }),
  });
}

function partRules(limits: PlatformLimits): Record<string, PartRule> {
  const image: PartRule = {
    kind: 'file',
    bytes: limits.image_bytes,
    times: 1,
    tooLarge: 'image_too_large',
  };
  return {
    metadata: { kind: 'text', bytes: limits.json_body_bytes, times: 1 },
    banner: image,
    cover: image,
    screenshots: { ...image, times: limits.screenshots },
    // Images are encoded again.
    trailer: { kind: 'file', bytes: limits.trailer_bytes, times: 1, isHashed: true },
  };
}

function readMetadata(limits: PlatformLimits, text: string | undefined): StoreMetadata {
  if (text === undefined) {
    throw metadataError('', 'The part "metadata" is missing. Add the part "metadata", as JSON');
  }
  const schema = requestSchemas(limits).StoreMetadata;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const fault = findJsonFault(text, 'The part "metadata"');
    const message = fault?.message ?? 'The part "metadata" is not valid JSON';
    throw metadataError('', message, fault ?? {});
  }
  if (Value.Check(schema, value)) {
    checkTexts(value, (field) => `metadata/${field}`);
    return value;
  }
  const reported = Value.Errors(schema, value)[0]?.instancePath;
  const faults = explainInput(schema, value, METADATA, reported);
  throw failure('invalid_input', faults[0].message, {
    details: faults.map(({ path, message }) => ({ path: `metadata${path}`, message })),
  });
}

/** Throws if a medium is both removed and sent. */
function checkTwice(metadata: StoreMetadata, parts: Parts): void {
  for (const name of ['banner', 'cover', 'trailer'] as const) {
    if (metadata[name] === null && parts.files.has(name)) {
      const both = `The ${name} is removed and sent at once. Allowed: either null, or the part "${name}"`;
      throw metadataError(`/${name}`, both);
    }
  }
}
