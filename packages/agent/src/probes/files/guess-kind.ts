// Guesses what kind of asset a file is, from the extension of its name or else from its first
// bytes.
import { extname } from 'node:path';
import type { AssetKind } from '@svc/trace';

const ENDINGS: Readonly<Record<Exclude<AssetKind, 'other'>, string>> = {
  texture:
    'png jpg jpeg webp avif gif bmp tga tif tiff dds ktx ktx2 basis hdr exr pvr astc psd vtf crn ico qoi jxl',
  mesh: 'gltf glb obj fbx dae ply stl mesh mdl md5mesh iqm b3d x3d usdz blend vox vvd drc',
  audio: 'ogg oga opus wav mp3 flac m4a aac wma bnk fsb mid midi mod xm it s3m aif aiff',
  shader:
    'glsl vert frag geom comp tesc tese hlsl fx fxo cso spv wgsl metal metallib shader material',
  script: 'js mjs lua luac luau py pyc rb gd gdc nut as wasm cs wren tcl',
  video: 'mp4 m4v webm mkv ogv avi mov bik bk2 usm wmv mpg mpeg',
  font: 'ttf otf ttc woff woff2 fnt pfb bdf',
  data: 'json json5 xml csv tsv txt ini cfg toml yaml yml pak pk3 pk4 wad vpk bsp zip 7z gz zst lz4 rar tar bundle assets unity3d uasset umap ucas utoc rpf ba2 bsa pck db sqlite sqlite3 sav save level map scene tscn tres bin dat idx res',
};

const KIND_OF_ENDING: ReadonlyMap<string, AssetKind> = new Map(
  Object.entries(ENDINGS).flatMap(([kind, endings]) =>
    endings.split(' ').map((ending) => [`.${ending}`, kind as AssetKind] as const),
  ),
);

/**
 * Extensions that many programs use for different content. The file's first bytes are more
 * reliable.
 */
const VAGUE = new Set(['.bin', '.dat', '.res', '.assets', '.pak', '.idx', '.db', '.map']);

/** The number of bytes that `kindOfHead` looks at. */
export const HEAD_BYTES = 64;

/** The kind that the name suggests. `isSure` is false if the first bytes should be checked. */
export function kindOfName(name: string): { readonly kind: AssetKind; readonly isSure: boolean } {
  const ending = extname(name).toLowerCase();
  const kind = KIND_OF_ENDING.get(ending);
  return { kind: kind ?? 'other', isSure: kind !== undefined && !VAGUE.has(ending) };
}

/** A signature: latin1 text at an offset. */
type Signature = readonly [kind: AssetKind, format: string, at: number, text: string];

const SIGNATURES: readonly Signature[] = [
  ['texture', 'PNG', 0, '\x89PNG\r\n\x1a\n'],
  ['texture', 'JPEG', 0, '\xff\xd8\xff'],
  ['texture', 'WebP', 8, 'WEBP'],
  ['texture', 'AVIF', 4, 'ftypavif'],
  ['texture', 'GIF', 0, 'GIF8'],
  ['texture', 'DDS', 0, 'DDS '],
  ['texture', 'KTX', 0, '\xabKTX 11\xbb'],
  ['texture', 'KTX2', 0, '\xabKTX 20\xbb'],
  ['texture', 'ASTC', 0, '\x13\xab\xa1\x5c'],
  ['texture', 'PSD', 0, '8BPS'],
  ['texture', 'HDR', 0, '#?RADIANCE'],
  ['texture', 'EXR', 0, '\x76\x2f\x31\x01'],
  ['texture', 'QOI', 0, 'qoif'],
  ['mesh', 'glTF', 0, 'glTF'],
  ['mesh', 'FBX', 0, 'Kaydara FBX Binary'],
  ['mesh', 'Blend', 0, 'BLENDER'],
  ['mesh', 'PLY', 0, 'ply\n'],
  ['audio', 'Ogg', 0, 'OggS'],
  ['audio', 'WAV', 8, 'WAVE'],
  ['audio', 'FLAC', 0, 'fLaC'],
  ['audio', 'MP3', 0, 'ID3'],
  ['audio', 'MIDI', 0, 'MThd'],
  ['audio', 'FSB', 0, 'FSB5'],
  ['audio', 'Wwise bank', 0, 'BKHD'],
  ['shader', 'SPIR-V', 0, '\x03\x02\x23\x07'],
  ['shader', 'DXBC', 0, 'DXBC'],
  ['script', 'WebAssembly', 0, '\0asm'],
  ['script', 'Lua bytecode', 0, '\x1bLua'],
  ['video', 'WebM', 0, '\x1a\x45\xdf\xa3'],
  ['video', 'Bink', 0, 'BIK'],
  ['video', 'Bink 2', 0, 'KB2'],
  ['video', 'AVI', 8, 'AVI '],
  ['video', 'MP4', 4, 'ftyp'],
  ['font', 'TrueType', 0, '\0\x01\0\0\0'],
  ['font', 'OpenType', 0, 'OTTO'],
  ['font', 'WOFF', 0, 'wOFF'],
  ['font', 'WOFF2', 0, 'wOF2'],
  ['font', 'font collection', 0, 'ttcf'],
  ['data', 'ZIP', 0, 'PK\x03\x04'],
  ['data', 'gzip', 0, '\x1f\x8b'],
  ['data', 'Zstandard', 0, '\x28\xb5\x2f\xfd'],
  ['data', 'LZ4', 0, '\x04\x22\x4d\x18'],
  ['data', 'SQLite', 0, 'SQLite format 3\0'],
  ['data', 'Unity bundle', 0, 'UnityFS'],
  ['data', 'Godot pack', 0, 'GDPC'],
  ['data', 'Quake pak', 0, 'PACK'],
  ['data', 'WAD', 1, 'WAD'],
  ['other', 'ELF', 0, '\x7fELF'],
];

/** The kind that the first bytes prove, or null. `head` has at most HEAD_BYTES. */
export function kindOfHead(
  head: Uint8Array,
): { readonly kind: AssetKind; readonly format: string } | null {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  for (const [kind, format, at, signature] of SIGNATURES) {
    if (text.startsWith(signature, at)) return { kind, format };
  }
  return null;
}
