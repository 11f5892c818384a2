// Names of shaders by their source, so that the same source has the same name in every recording.

/** The number of characters of each source that are read, which bounds the time that a shader takes. */
const READ_CHARACTERS = 16_384;
const UNIFORMS = 3;

/** `#define SHADER_NAME` of three.js, PlayCanvas, PixiJS and Babylon.js (`vertex:` and the name), or a comment `//@name`. */
const NAME = /^[ \t]*((\/\/)?#define\s+SHADER_(NAME|TYPE)|\/\/\s*@name)\s+(\w+:)?([\w./-]+)/m;
/** A uniform of GLSL, or a binding of WGSL up to its name, or up to its type if that is a texture. */
const UNIFORM =
  /(?:uniform\s+(?:\w+p\s+)?\w+|\)\s*var(?:<[^>]{0,40}>)?)\s+(\w+)(?:\s*:\s*texture)?/gi;
/** Uniforms that most shaders of an engine have. */
const COMMON = /unity|matri|camera|view|proj|world|time|screen|texel|_st$/i;

/**
 * The name of a shader or program by the first 16,384 characters of each source: the name that a source defines, otherwise its
 * textures and other uniforms with a hash, such as `shader _MainTex _Color 3f2a91`. Undefined if all sources are empty.
 */
export function nameOfShader(sources: readonly string[]): string | undefined {
  // The length distinguishes most sources that differ only later. `concat` copies nothing.
  let hash = ''.concat(...sources).length;
  const text = sources.map((source) => source.slice(0, READ_CHARACTERS)).join('\n');
  const name = NAME.exec(text)?.[5];
  if (name !== undefined || hash === 0) return name;
  const found = [...text.matchAll(UNIFORM)].filter(([, uniform = '']) => !COMMON.test(uniform));
  const textures = found.filter(([declaration]) => /sampler|texture/i.test(declaration));
  const uniforms = new Set([...textures, ...found].map(([, uniform]) => uniform));
  // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/) over characters.
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  }
  const shown = [...uniforms].slice(0, UNIFORMS);
  return ['shader', ...shown, (hash >>> 8).toString(16).padStart(6, '0')].join(' ');
}
