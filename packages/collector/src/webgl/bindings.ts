// The object that is bound to a target, by `getParameter`. Browsers answer without the GPU.
import type { Gl } from './contexts.ts';

/** The targets of WebGL 1. For others it would write a warning to the game's console. */
const IN_WEBGL_1 = [3553, 34067, 34962, 34963, 36161];

/** Target → the parameter of its binding. Cube faces (0x8515 to 0x851A) use the binding of the cube. */
const BINDINGS: Readonly<Record<number, number>> = {
  3553: 0x8069, // TEXTURE_2D
  32879: 0x806a, // TEXTURE_3D
  35866: 0x8c1d, // TEXTURE_2D_ARRAY
  34067: 0x8514, // TEXTURE_CUBE_MAP
  34962: 0x8894, // ARRAY_BUFFER
  34963: 0x8895, // ELEMENT_ARRAY_BUFFER
  35345: 0x8a28, // UNIFORM_BUFFER
  36662: 0x8f36, // COPY_READ_BUFFER
  36663: 0x8f37, // COPY_WRITE_BUFFER
  35051: 0x88ed, // PIXEL_PACK_BUFFER
  35052: 0x88ef, // PIXEL_UNPACK_BUFFER
  35982: 0x8c8f, // TRANSFORM_FEEDBACK_BUFFER
  36161: 0x8ca7, // RENDERBUFFER
};
export const TEXTURE_3D = 0x806f;
export const TEXTURE_CUBE_MAP = 0x8513;

/** The index of a cube face, or 0 for other targets. */
export function faceOf(target: number): number {
  return target > 0x8514 && target < 0x851b ? target - 0x8515 : 0;
}

/** The object that is bound to a target, or null if there is none or the target is unknown. */
export function boundTo(gl: Gl, target: number): unknown {
  const whole = target > 0x8514 && target < 0x851b ? TEXTURE_CUBE_MAP : target;
  const binding = BINDINGS[whole];
  if (binding === undefined || !('drawBuffers' in gl || IN_WEBGL_1.includes(whole))) return null;
  return gl.getParameter(binding);
}
