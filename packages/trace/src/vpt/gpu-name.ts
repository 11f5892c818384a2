// Names of graphics adapters.

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
