// Answers /assets: files whose names change with their bytes, so that a browser may keep them for good.
import type { App } from '@svc/serve';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Web } from '../web.ts';
import type { Asset } from './read-assets.ts';

export function registerAssets(app: App, web: Web): void {
  app.route({
    url: '/assets/*',
    method: ['GET', 'HEAD'],
    config: { uncounted: true },
    handler: (request, reply) => {
      const asset = web.assets.find(request.url.split('?')[0] ?? '');
      if (asset === null) return reply.code(404).type('text/plain').send('Nothing is here.\n');
      return sendAsset(request, reply, asset);
    },
  });
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const encoding = chooseEncoding(request.headers['accept-encoding'] ?? '', asset);
  const body = encoding === null ? asset.plain : (asset[encoding] ?? asset.plain);
  reply.headers({
    'content-type': asset.type,
    'content-length': String(body.length),
    'cache-control': 'public, max-age=31536000, immutable',
    // The game page is isolated: what it loads must say that it may be.
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
  });
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.send(request.method === 'HEAD' ? null : body);
}

function chooseEncoding(accepted: string, asset: Asset): 'br' | 'gzip' | null {
  const takes = (name: string): boolean =>
    accepted
      .split(',')
      .map((part) => part.trim().toLowerCase())
      .some((part) => part.split(';')[0] === name && !/;\s*q=0(?:\.0*)?$/.test(part));
  if (asset.br !== null && takes('br')) return 'br';
  return asset.gzip !== null && takes('gzip') ? 'gzip' : null;
}
