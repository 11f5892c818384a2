// Chooses the content encoding of a response (RFC 9110, 12.5.3).

export type Encoding = 'br' | 'gzip';

/** The encoding that Accept-Encoding prefers, brotli if both have the same weight; null if neither is accepted. */
export function chooseEncoding(accepted: string | undefined): Encoding | null {
  const weights = new Map<string, number>();
  for (const part of (accepted ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const quality = parameters.find((text) => text.startsWith('q='))?.slice(2);
    weights.set(name, quality === undefined ? 1 : Number(quality) || 0);
  }
  const weigh = (name: Encoding): number => weights.get(name) ?? weights.get('*') ?? 0;
  const [br, gzip] = [weigh('br'), weigh('gzip')];
  if (br === 0 && gzip === 0) return null;
  return br >= gzip ? 'br' : 'gzip';
}
