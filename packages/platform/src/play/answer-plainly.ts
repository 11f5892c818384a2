// Answers the plain requests of players before Node's HTTP: whole small files as bytes that were put together once.
import {
  makePlainAnswer,
  type PlainAnswer,
  type PlainOptions,
  type PlainRequest,
  plainAnswerBytes,
} from '@svc/serve';
import { isUnchanged, readCodings } from '../http/conditions.ts';
import { createMemoryCache } from '../http/memory-cache.ts';
import { MEMORY_ENTRY_BYTES, readWhole } from '../http/send-representation.ts';
import type { Platform } from '../platform.ts';
import type { FileFinder } from './find-file.ts';
import { createAddressReader } from './read-address.ts';
import { choose, type Representation, type Representations } from './representations.ts';

const MEMORY_BYTES = 128 * 1024 * 1024;

/** Null for all that `createPlay` has to say: what is missing, elsewhere, large, or asked for in part. */
export function createPlainPlay(platform: Platform, finder: FileFinder): PlainOptions['answer'] {
  const readAddress = createAddressReader(platform.addresses);
  const answers = createMemoryCache<Representation, PlainAnswer>(MEMORY_BYTES, plainAnswerBytes);

  const answer = (
    { headers }: PlainRequest,
    forms: Representations | null,
  ): PlainAnswer | null | Promise<PlainAnswer> => {
    if (forms === null) return null;
    const form = choose(forms, readCodings(headers.get('accept-encoding')));
    if (isUnchanged(headers.get('if-none-match'), form.etag)) {
      return makePlainAnswer(304, form.bareHeaders.slice(2), null);
    }
    if (form.bytes > MEMORY_ENTRY_BYTES) return null;
    return answers.get(form) ?? load(form);
  };

  const load = async (form: Representation): Promise<PlainAnswer> => {
    const bytes = await readWhole(platform.files, form);
    const made = makePlainAnswer(200, form.headers.slice(2), bytes);
    answers.set(form, made);
    return made;
  };

  return (request) => {
    const { url, headers } = request;
    if (headers.get('range') !== undefined) return null;
    const wanted = readAddress(url, headers.get('host'));
    if (wanted.kind !== 'file') return null;
    if (wanted.bare && headers.get('sec-fetch-mode') === 'navigate') return null;
    const known = finder.recall(wanted.slug, wanted.path);
    if (known !== undefined) return answer(request, known);
    return finder.find(wanted.slug, wanted.path).then((forms) => answer(request, forms));
  };
}
