// Names of graphics adapters.
import type { Header } from '../format/records.ts';
import { cleanName } from './clean-name.ts';

/** Renderers on the CPU: of Chrome, Mesa, Windows and macOS. */
const SOFTWARE =
  /swiftshader|llvmpipe|softpipe|lavapipe|swrast|software (?:rasterizer|renderer|adapter)|basic render|\bwarp\b/i;

/**
 * Whether a graphics adapter renders on the CPU, by its name: `UNMASKED_RENDERER_WEBGL` of WebGL, or the renderer that a browser
 * reports. An unknown name is a GPU.
 */
export function isSoftwareGpu(name: string): boolean {
  return SOFTWARE.test(name);
}

/** The adapter for the header of a trace, by the name that a browser reports. Undefined for an empty name. */
export function describeGpu(reported: string): Header['gpu'] {
  const name = cleanName(reported);
  return name === '' ? undefined : { name, software: isSoftwareGpu(name) };
}
