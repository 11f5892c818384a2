// The headers of every file of a game. They isolate untrusted games and allow them to use threads.
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

/** Features that games may not use. Features that engines need (gamepad, fullscreen, sensors, XR …) are not listed. */
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

/**
 * The further headers of a page whose scripts may sample their own functions (JS Self-Profiling). A page cannot ask whether it may,
 * and browsers report an attempt as an error. The second header announces it to the collector.
 */
export const PROFILING_HEADERS: readonly string[] = [
  'Document-Policy',
  'js-profiling',
  'Server-Timing',
  'js-profiling',
];

/** The further headers of a release that is played at a secret address: search engines and other sites must not learn it. */
export const PREVIEW_HEADERS: readonly string[] = [
  'X-Robots-Tag',
  'noindex, nofollow',
  'Referrer-Policy',
  'no-referrer',
];

/** The `allow` attribute for a frame with a game. */
export const EMBED_ALLOW =
  'cross-origin-isolated; fullscreen; gamepad; autoplay; accelerometer; gyroscope; magnetometer; clipboard-write; xr-spatial-tracking; screen-wake-lock; web-share';

/**
 * Returns the headers as a list of names and values, the format of Node's writeHead. Pages of `embedder`, an origin, may show the
 * game in a frame. So may the game's own pages: many builds have a page around the frame with the game. Null allows only these.
 */
export function gameHeaders(embedder: string | null, isolation: Isolation): string[] {
  const [coep, dip] = EMBEDDER_POLICY[isolation];
  const ancestors = embedder === null ? "'self'" : `${embedder} 'self'`;
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
    `frame-ancestors ${ancestors}; sandbox ${SANDBOX}`,
    'Permissions-Policy',
    CLOSED_FEATURES,
    'Vary',
    'Accept-Encoding',
  ];
}
