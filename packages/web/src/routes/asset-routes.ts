// Serves /assets. A file's name contains its content hash, so browsers may cache it without limit.
import type { App } from '@svc/serve';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding } from '../assets/choose-encoding.ts';
import type { Asset, Assets } from '../assets/read-assets.ts';

export function registerAssets(app: App, assets: Assets): void {
  app.route({
    url: '/assets/*',
    method: ['GET', 'HEAD'],
    config: { uncounted: true },
    handler: (request, reply) => {
      const asset = assets.find(request.url.split('?')[0] ?? '');
      if (asset === null) return sendMissing(reply);
      return sendAsset(request, reply, asset);
    },
  });
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const wanted = chooseEncoding(request.headers['accept-encoding']);
  const packed = wanted === null ? null : asset[wanted];
  const body = packed ?? asset.plain;
  reply.headers({
    'content-type': asset.type,
    'content-length': String(body.length),
    'cache-control': 'public, max-age=31536000, immutable',
    // An isolated game page loads only resources with this header.
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
  });
  if (packed !== null) reply.header('content-encoding', wanted);
  return reply.send(request.method === 'HEAD' ? null : body);
}

/** During an upgrade another process may have the file, so that no cache may keep this answer. */
function sendMissing(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    .type('text/plain')
    .send('Not found.\n');
}
