// Answers /media: images and trailers of store pages, and avatars. A name always means the same bytes. Each request asks the
// database whether the medium may be sent; only contents are cached.
import { createRefusals, createSender, type Exchange, isReadMethod } from '@svc/delivery';
import { type AnswerExchange, createFailureAnswer } from '../http/answer-failure.ts';
import type { Platform } from '../platform.ts';
import { avatarFiles, findAvatar } from './find-avatar.ts';
import { findMedium, MEDIA_POLICY } from './find-medium.ts';

const MEMORY_BYTES = 64 * 1024 * 1024;

/** Creates the answers of `/media`. */
export function createMedia(platform: Platform): AnswerExchange {
  const { log } = platform;
  const refusals = createRefusals({ policy: MEDIA_POLICY, missing: 'Cannot find this medium' });
  const fail = createFailureAnswer({ name: 'media', refusals, log });
  const send = createSender(MEMORY_BYTES, refusals.refuseRange);
  const avatars = avatarFiles(platform);

  const answer = async (exchange: Exchange, path: string, query: string): Promise<void> => {
    const isAvatar = path.startsWith('/media/avatars/');
    const medium = isAvatar
      ? await findAvatar(platform, path)
      : await findMedium(platform, path, query);
    if (medium === null) refusals.refuseMissing(exchange);
    else {
      const source = isAvatar ? avatars : platform.served;
      await send(exchange, source, { chosen: medium, plain: medium });
    }
  };

  return (exchange) => {
    const { request } = exchange;
    const [path = '', query = ''] = (request.url ?? '').split('?');
    if (!path.startsWith('/media/')) return false;
    request.resume();
    if (!isReadMethod(request)) return refusals.refuseMethod(exchange);
    answer(exchange, path, query).catch((error: unknown) => fail(exchange, error));
    return true;
  };
}
