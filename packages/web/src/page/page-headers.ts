// The security headers of a page: what it may load, which frames it may contain, and who may frame it.
import type { Web } from '../visit/web.ts';
import type { Page } from './page.ts';

/**
 * The headers. Only this site may frame a page, and only a preview. Only scripts with the nonce run. A page loads
 * from this site, from the media origin and from the origin of its game, and from no other.
 */
export function pageHeaders(
  web: Web,
  page: Page,
  nonce: string,
  mediaOrigin: string | null,
): Record<string, string> {
  const media = mediaOrigin === null ? '' : ` ${mediaOrigin}`;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    // The preview of a selected avatar is a blob.
    `img-src 'self'${media} blob:`,
    `media-src 'self'${media}`,
    "connect-src 'self'",
    `frame-src ${frameSource(page)}`,
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${page.isPreview ? "'self'" : "'none'"}`,
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    ...(page.frame?.isolated === true ? { 'cross-origin-embedder-policy': 'credentialless' } : {}),
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': page.isPreview ? 'SAMEORIGIN' : 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    'cache-control': 'private, no-cache',
    vary: 'Cookie',
    ...(web.origin.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

function frameSource({ frame, framesOwn }: Page): string {
  if (frame !== undefined) return new URL(frame.url).origin;
  return framesOwn ? "'self'" : "'none'";
}
