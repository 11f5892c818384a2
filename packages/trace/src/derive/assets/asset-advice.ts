// Advice about an asset, one sentence per problem, derived from its records only.
import type { AssetPhase } from '../../format/records.ts';
import { roundMs } from '../../vpt/format-record.ts';
import { bytesText } from '../facts/number-text.ts';
import type { AssetTotals } from './asset-totals.ts';

export type AssetAdvice = { readonly code: string; readonly text: string };

const MIB = 1_048_576;
/** A texture wider or higher than this is more than a 1080p screen can show at once. */
const LARGE_SIDE = 2048;
/** Smaller textures get no advice about their format. */
const LARGE_TEXTURE_BYTES = 4 * MIB;
/** Fewer uploads are considered normal changes. */
const MANY_UPLOADS = 8;
/** About half a minute of decoded 48 kHz stereo sound. */
const LARGE_AUDIO_BYTES = 10 * MIB;
/** Calls that read less than this spend most of their time on the call itself. */
const SMALL_READ_BYTES = 8192;
/** Fewer small reads get no advice. */
const MANY_READS = 500;
/** Fewer bytes read again get no advice. */
const WASTED_BYTES = 4 * MIB;
const COMPRESSED =
  /^(?:bc\d|atc|bptc|s3tc|dxt|rgtc|etc|eac|astc|pvrtc|compressed)|_(?:s3tc|bptc|etc2?|astc|pvrtc)/i;

/** Advice for an asset, most urgent first. `hitches` is the number of frames over budget that overlap its work. */
export function adviseAsset(asset: AssetTotals, hitches: number, budget_ms: number): AssetAdvice[] {
  return [
    onMainThread(asset, hitches, budget_ms),
    repeatedUpload(asset),
    uncompressedTexture(asset),
    largeTexture(asset),
    largeAudio(asset),
    readAgain(asset),
    smallReads(asset),
    opaque(asset),
  ].filter((advice) => advice !== null);
}

const ELSEWHERE: Partial<Record<AssetPhase, string>> = {
  decode: 'decode it in a worker or ahead of time (createImageBitmap, decodeAudioData before play)',
  upload: 'upload it in pieces or behind a loading screen',
  compile: 'compile and link it before the scene starts',
  read: 'read it in another thread, or before the scene starts',
};

function onMainThread(
  { longest }: AssetTotals,
  hitches: number,
  budget_ms: number,
): AssetAdvice | null {
  if (longest === null || (hitches === 0 && longest.ms <= budget_ms / 2)) return null;
  const way = ELSEWHERE[longest.phase] ?? 'move the work off the main thread or before the scene';
  return {
    code: 'main_thread_work',
    text: `Its ${longest.phase} blocked the main thread for ${roundMs(longest.ms)} ms at once: ${way}.`,
  };
}

function repeatedUpload({ uploads, kind }: AssetTotals): AssetAdvice | null {
  if (uploads < MANY_UPLOADS || kind === 'video') return null;
  return {
    code: 'repeated_upload',
    text: `It was uploaded ${uploads} times. Keep it on the GPU, or update only the part that changed.`,
  };
}

function uncompressedTexture({ kind, format, gpu_bytes }: AssetTotals): AssetAdvice | null {
  if (kind !== 'texture' || format === null || isCompressed(format)) return null;
  if ((gpu_bytes ?? 0) < LARGE_TEXTURE_BYTES) return null;
  return {
    code: 'uncompressed_texture',
    text: `It takes ${bytesText(gpu_bytes ?? 0)} on the GPU as ${format}. A compressed format (BC7, ASTC or ETC2 in KTX2) takes a quarter or less.`,
  };
}

function largeTexture({ kind, dims }: AssetTotals): AssetAdvice | null {
  const [width, height] = dims;
  if (kind !== 'texture' || Math.max(width, height) <= LARGE_SIDE) return null;
  return {
    code: 'large_texture',
    text: `It is ${width} × ${height}. With half the width and height it takes a quarter of the memory and upload time.`,
  };
}

function largeAudio({ kind, bytes }: AssetTotals): AssetAdvice | null {
  if (kind !== 'audio' || (bytes ?? 0) < LARGE_AUDIO_BYTES) return null;
  return {
    code: 'large_audio',
    text: `It takes ${bytesText(bytes ?? 0)} decoded. Stream it through a media element instead of decoding all of it.`,
  };
}

function readAgain({ read_bytes, encoded_bytes }: AssetTotals): AssetAdvice | null {
  if (read_bytes === null || encoded_bytes === null || encoded_bytes === 0) return null;
  if (read_bytes < 2 * encoded_bytes || read_bytes - encoded_bytes < WASTED_BYTES) return null;
  const times = Math.round((read_bytes / encoded_bytes) * 10) / 10;
  return {
    code: 'read_again',
    text: `The game read ${bytesText(read_bytes)} of it, ${times} times its size. Keep the data in memory.`,
  };
}

function smallReads({ reads, read_bytes }: AssetTotals): AssetAdvice | null {
  if (read_bytes === null || reads < MANY_READS || read_bytes / reads >= SMALL_READ_BYTES)
    return null;
  return {
    code: 'small_reads',
    text: `It was read in ${reads} calls of ${Math.round(read_bytes / reads)} bytes each. Read more per call.`,
  };
}

function opaque({ isOpaque }: AssetTotals): AssetAdvice | null {
  if (!isOpaque) return null;
  return {
    code: 'opaque_resource',
    text: 'Its server hides sizes and times. Let the server send Timing-Allow-Origin to see them.',
  };
}

/** Whether a texture format is block-compressed, by its name. */
export function isCompressed(format: string): boolean {
  return COMPRESSED.test(format);
}
