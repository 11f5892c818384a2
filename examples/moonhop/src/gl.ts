// The WebGL 2 code of the game: programs, textures, batches of sprites in one draw call.

const SPRITE_VERTEX = `#version 300 es
#define SHADER_NAME sprites
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 place;   // x, y, size, turn
layout(location = 2) in vec4 tint;
uniform vec4 view;                    // centre x, y, scale x, y
out vec2 at;
out vec4 colour;
void main() {
  float c = cos(place.w), s = sin(place.w);
  vec2 turned = mat2(c, s, -s, c) * (corner * place.z);
  gl_Position = vec4((place.xy + turned - view.xy) * view.zw, 0.0, 1.0);
  at = corner * 0.5 + 0.5;
  colour = tint;
}`;
const SPRITE_FRAGMENT = `#version 300 es
#define SHADER_NAME sprites
precision mediump float;
in vec2 at;
in vec4 colour;
uniform sampler2D picture;
out vec4 pixel;
void main() { pixel = texture(picture, at) * vec4(colour.rgb * colour.a, colour.a); }`;
const SKY_VERTEX = `#version 300 es
#define SHADER_NAME nebula
layout(location = 0) in vec2 corner;
uniform vec4 view;
out vec2 at;
void main() { gl_Position = vec4(corner, 0.0, 1.0); at = view.xy + corner * view.zw; }`;
const SKY_FRAGMENT = `#version 300 es
#define SHADER_NAME nebula
precision mediump float;
in vec2 at;
uniform sampler2D picture;
uniform float breath;
out vec4 pixel;
void main() {
  vec3 far = texture(picture, at).rgb;
  vec3 near = texture(picture, at * 1.7 + vec2(0.31, 0.17)).rgb;
  pixel = vec4(far * (0.82 + breath * 0.12) + near * near * 0.5, 1.0);
}`;

const SPRITE_FLOATS = 8;

export type Gl = WebGL2RenderingContext;

/** Returns a context. Throws an error for the player if there is none. */
export function openGl(canvas: HTMLCanvasElement): Gl {
  const gl = canvas.getContext('webgl2', {
    antialias: false,
    alpha: false,
    powerPreference: 'high-performance',
  });
  if (gl === null) throw new Error('This game needs WebGL 2, which is disabled in this browser');
  gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, true);
  return gl;
}

/** Uploads an image and generates its mip levels. */
export function makeTexture(gl: Gl, picture: TexImageSource): WebGLTexture {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, picture instanceof HTMLImageElement);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, picture);
  gl.generateMipmap(gl.TEXTURE_2D);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
  return texture;
}

/** Sprites with one texture, drawn in one call. */
export type Sprites = {
  add(
    x: number,
    y: number,
    size: number,
    turn: number,
    colour: readonly [number, number, number, number],
  ): void;
  draw(texture: WebGLTexture, view: Float32Array): void;
};

export function makeSprites(gl: Gl, most: number): Sprites {
  const program = link(gl, SPRITE_VERTEX, SPRITE_FRAGMENT);
  const view = gl.getUniformLocation(program, 'view');
  const data = new Float32Array(most * SPRITE_FLOATS);
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, data.byteLength, gl.DYNAMIC_DRAW);
  const shape = spriteShape(gl, buffer, 0);
  let count = 0;
  return {
    add(x, y, size, turn, colour) {
      if (count === most) return;
      const at = count++ * SPRITE_FLOATS;
      data[at] = x;
      data[at + 1] = y;
      data[at + 2] = size;
      data[at + 3] = turn;
      data.set(colour, at + 4);
    },
    draw(texture, camera) {
      if (count === 0) return;
      gl.useProgram(program);
      gl.uniform4fv(view, camera);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.bindVertexArray(shape);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, data, 0, count * SPRITE_FLOATS);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
      count = 0;
    },
  };
}

/**
 * Static dust: uploaded once, drawn near the camera. `grains` are x, y, size, x, y, size, … sorted by x. `reach` is the
 * visible distance from the camera's x.
 */
export function makeDust(
  gl: Gl,
  grains: Float32Array<ArrayBuffer>,
  reach: number,
): (texture: WebGLTexture, view: Float32Array) => void {
  const program = link(gl, SPRITE_VERTEX, SPRITE_FRAGMENT);
  const view = gl.getUniformLocation(program, 'view');
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, grains, gl.STATIC_DRAW);
  const shape = spriteShape(gl, buffer, 12);
  return (texture, camera) => {
    const from = firstFrom(grains, (camera[0] ?? 0) - reach);
    const count = firstFrom(grains, (camera[0] ?? 0) + reach) - from;
    if (count === 0) return;
    gl.useProgram(program);
    gl.uniform4fv(view, camera);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.bindVertexArray(shape);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 12, from * 12);
    gl.vertexAttrib4f(2, 0.75, 0.82, 1, 0.5);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
  };
}

/** Index of the first grain at or right of `x`. */
function firstFrom(grains: Float32Array, x: number): number {
  let low = 0;
  let high = grains.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((grains[middle * 3] ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The nebula over the whole screen. */
export function makeBackdrop(
  gl: Gl,
): (texture: WebGLTexture, view: Float32Array, breath: number) => void {
  const program = link(gl, SKY_VERTEX, SKY_FRAGMENT);
  const view = gl.getUniformLocation(program, 'view');
  const breathing = gl.getUniformLocation(program, 'breath');
  const shape = gl.createVertexArray();
  gl.bindVertexArray(shape);
  corners(gl);
  return (texture, window, breath) => {
    gl.useProgram(program);
    gl.uniform4fv(view, window);
    gl.uniform1f(breathing, breath);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.bindVertexArray(shape);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  };
}

/** A quad for each entry of the buffer: `stride` 0 for whole sprites, else only x, y, size. */
function spriteShape(gl: Gl, buffer: WebGLBuffer, stride: number): WebGLVertexArrayObject {
  const shape = gl.createVertexArray();
  gl.bindVertexArray(shape);
  corners(gl);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  const whole = stride === 0;
  gl.enableVertexAttribArray(1);
  gl.vertexAttribPointer(1, whole ? 4 : 3, gl.FLOAT, false, whole ? SPRITE_FLOATS * 4 : stride, 0);
  gl.vertexAttribDivisor(1, 1);
  if (whole) {
    gl.enableVertexAttribArray(2);
    gl.vertexAttribPointer(2, 4, gl.FLOAT, false, SPRITE_FLOATS * 4, 16);
    gl.vertexAttribDivisor(2, 1);
  }
  return shape;
}

function corners(gl: Gl): void {
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
}

function link(gl: Gl, vertex: string, fragment: string): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) continue;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true) {
    throw new Error(`Cannot link a shader: ${gl.getProgramInfoLog(program)}`);
  }
  return program;
}
