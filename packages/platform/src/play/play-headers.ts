// The headers that make a game from a stranger safe to open and free to use threads: one list for every answer of /play.
import type { Isolation } from '@svc/contracts/platform';

const SANDBOX = [
  'allow-scripts',
  'allow-same-origin',
  'allow-pointer-lock',
  'allow-forms',
  'allow-modals',
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-downloads',
  'allow-orientation-lock',
  'allow-presentation',
].join(' ');

/** Closed for games; what engines ask for (gamepad, fullscreen, autoplay, sensors, clipboard, XR) stays open. */
const CLOSED_FEATURES = [
  'camera',
  'microphone',
  'geolocation',
  'payment',
  'usb',
  'serial',
  'bluetooth',
  'hid',
  'display-capture',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

const EMBEDDER_POLICY: Readonly<Record<Isolation, readonly [coep: string, dip: string]>> = {
  none: ['unsafe-none', 'none'],
  credentialless: ['credentialless', 'isolate-and-credentialless'],
  'require-corp': ['require-corp', 'isolate-and-require-corp'],
};

/** What a page that frames a game should allow it. */
export const EMBED_ALLOW =
  'cross-origin-isolated; fullscreen; gamepad; autoplay; accelerometer; gyroscope; magnetometer; clipboard-write; xr-spatial-tracking; screen-wake-lock; web-share';

/** Names and values, one after the other, as Node's writeHead takes them. */
export function playHeaders(webOrigin: string, isolation: Isolation): string[] {
  const [coep, dip] = EMBEDDER_POLICY[isolation];
  return [
    'X-Content-Type-Options',
    'nosniff',
    'Access-Control-Allow-Origin',
    '*',
    'Cross-Origin-Resource-Policy',
    'cross-origin',
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Cross-Origin-Embedder-Policy',
    coep,
    'Document-Isolation-Policy',
    dip,
    'Origin-Agent-Cluster',
    '?1',
    'Content-Security-Policy',
    `frame-ancestors ${webOrigin}; sandbox ${SANDBOX}`,
    'Permissions-Policy',
    CLOSED_FEATURES,
    'Vary',
    'Accept-Encoding',
  ];
}
