// The media type of a file by its name and its first bytes.

const TEXT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  js: 'text/javascript',
  mjs: 'text/javascript',
  cjs: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  gltf: 'model/gltf+json',
  svg: 'image/svg+xml',
  xml: 'application/xml',
  tmx: 'application/xml',
  tsx: 'application/xml',
  fnt: 'text/plain',
  txt: 'text/plain',
  md: 'text/plain',
  csv: 'text/csv',
  vtt: 'text/vtt',
  atlas: 'text/plain',
  glsl: 'text/plain',
  vert: 'text/plain',
  frag: 'text/plain',
  wgsl: 'text/plain',
  obj: 'text/plain',
  mtl: 'text/plain',
  ini: 'text/plain',
  yaml: 'text/plain',
  yml: 'text/plain',
  lua: 'text/plain',
  p8: 'text/plain',
};

const BINARY_TYPES: Readonly<Record<string, string>> = {
  wasm: 'application/wasm',
  glb: 'model/gltf-binary',
  png: 'image/png',
  apng: 'image/apng',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  jxl: 'image/jxl',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  cur: 'image/x-icon',
  ktx: 'image/ktx',
  ktx2: 'image/ktx2',
  dds: 'image/vnd-ms.dds',
  hdr: 'image/vnd.radiance',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  wav: 'audio/wav',
  flac: 'audio/flac',
  weba: 'audio/webm',
  mid: 'audio/midi',
  midi: 'audio/midi',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mov: 'video/quicktime',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  ttc: 'font/collection',
  pdf: 'application/pdf',
  zip: 'application/zip',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  tar: 'application/x-tar',
  '7z': 'application/x-7z-compressed',
};

/** Endings of engine files without a media type. They make `x.data.gz` an encoded file, while `save.gz` stays an archive. */
const OPAQUE = new Set(
  'data mem bin pck dat unity3d bundle assets resource basis symbols unityweb rgssad rpgmvp rpgmvm rpgmvo pak arc win unx wad'.split(
    ' ',
  ),
);
const ARCHIVES = new Set(['zip', 'gz', 'tgz', 'tar', '7z']);
const SHRINKS = new Set([
  'application/wasm',
  'model/gltf-binary',
  'font/ttf',
  'font/otf',
  'font/collection',
  'image/bmp',
]);

export const OCTET_STREAM = 'application/octet-stream';

/** The extension of a path in lower case, without the dot. Empty if there is none. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** The type by the extension of a path, without a charset. `application/octet-stream` for an unknown extension. */
export function typeOfPath(path: string): string {
  return knownType(extensionOf(path)) ?? OCTET_STREAM;
}

/** Whether the extension is that of a game's file and not of an archive. */
export function isGameFile(path: string): boolean {
  const extension = extensionOf(path);
  const known = knownType(extension) !== null || OPAQUE.has(extension);
  return known && !ARCHIVES.has(extension);
}

/** Null for unknown extensions, including names such as `constructor`. */
function knownType(extension: string): string | null {
  const table = [TEXT_TYPES, BINARY_TYPES].find((types) => Object.hasOwn(types, extension));
  return table?.[extension] ?? null;
}

export function isTextType(type: string): boolean {
  return Object.values(TEXT_TYPES).includes(type);
}

/** Whether compressing this type for transfer is worth it. */
export function isCompressible(type: string): boolean {
  return isTextType(type) || SHRINKS.has(type);
}

/** Adds a charset if the type takes one and the bytes are UTF-8. Other text states its charset itself. */
export function withCharset(type: string, isUtf8: boolean): string {
  return isUtf8 && type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

const MAGIC: readonly (readonly [type: string, offset: number, hex: string])[] = [
  ['application/wasm', 0, '0061736d'],
  ['image/png', 0, '89504e470d0a1a0a'],
  ['image/jpeg', 0, 'ffd8ff'],
  ['image/gif', 0, '47494638'],
  ['image/webp', 8, '57454250'],
  ['image/avif', 4, '6674797061766966'],
];

/** The type by the magic bytes, or null. */
export function sniffType(head: Buffer): string | null {
  const found = MAGIC.find(([, offset, hex]) => {
    return head.subarray(offset, offset + hex.length / 2).toString('hex') === hex;
  });
  return found?.[0] ?? null;
}
