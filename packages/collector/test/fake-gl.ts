// Fake WebGL contexts. They track bound objects and record their calls. A test sets how long each call takes.
import type { TestContext } from 'node:test';
import { clock } from './fake-clock.ts';
import { setGlobal } from './recorded.ts';

export const TEXTURE_2D = 0x0de1;
export const TEXTURE_3D = 0x806f;
export const TEXTURE_2D_ARRAY = 0x8c1a;
export const TEXTURE_CUBE_MAP = 0x8513;
export const CUBE_FACE = 0x8515;
export const ARRAY_BUFFER = 0x8892;
export const RENDERBUFFER = 0x8d41;
export const RGBA = 0x1908;
export const RGBA8 = 0x8058;
export const R8 = 0x8229;
export const UNSIGNED_BYTE = 0x1401;
export const FLOAT = 0x1406;

const METHODS =
  `texImage2D compressedTexImage2D copyTexImage2D texSubImage2D compressedTexSubImage2D generateMipmap
deleteTexture renderbufferStorage deleteRenderbuffer bufferData bufferSubData deleteBuffer shaderSource compileShader
getShaderParameter getShaderInfoLog attachShader detachShader linkProgram deleteProgram getProgramParameter getProgramInfoLog useProgram
getUniformLocation drawArrays drawElements getExtension isContextLost`.split(/\s/);
const METHODS_2 =
  `texImage3D compressedTexImage3D texSubImage3D compressedTexSubImage3D texStorage2D texStorage3D
renderbufferStorageMultisample drawRangeElements drawArraysInstanced drawElementsInstanced drawBuffers createQuery beginQuery
endQuery getQuery getQueryParameter deleteQuery`.split(/\s/);

/** An object whose methods return what the test sets, after the time it sets. */
export class FakeOwner {
  readonly calls: unknown[][] = [];
  /** The result of a method: a value, or a function of its arguments. */
  readonly results: Record<string, unknown> = {};
  /** The duration of each call in milliseconds. */
  costMs = 0;

  call(name: string, ...args: unknown[]): unknown {
    const method: unknown = Reflect.get(this, name);
    if (typeof method !== 'function') throw new TypeError(`there is no ${name}`);
    return Reflect.apply(method, this, args);
  }
}

export class FakeGl extends FakeOwner {
  readonly canvas = new EventTarget();
  /** By the argument of `getParameter`. */
  readonly parameters = new Map<unknown, unknown>();
  readonly asked: unknown[] = [];

  getParameter(name: unknown): unknown {
    this.asked.push(name);
    return this.parameters.get(name) ?? null;
  }
}

/** Adds methods to a prototype that record their calls. */
export function addMethods(prototype: object, names: readonly string[]): void {
  for (const name of names) {
    const method = function (this: FakeOwner, ...args: unknown[]): unknown {
      this.calls.push([name, ...args]);
      clock.ms += this.costMs;
      const result = this.results[name];
      return typeof result === 'function' ? result(...args) : result;
    };
    Object.defineProperty(prototype, name, { value: method, configurable: true, writable: true });
  }
}

export type FakeContexts = { readonly Gl1: new () => FakeGl; readonly Gl2: new () => FakeGl };

/** Defines both context classes as globals. */
export function fakeContexts(t: TestContext): FakeContexts {
  class Gl1 extends FakeGl {}
  class Gl2 extends FakeGl {}
  addMethods(Gl1.prototype, METHODS);
  addMethods(Gl2.prototype, [...METHODS, ...METHODS_2]);
  setGlobal(t, 'WebGLRenderingContext', Gl1);
  setGlobal(t, 'WebGL2RenderingContext', Gl2);
  return { Gl1, Gl2 };
}

/** All methods of a prototype, to compare them later. */
export function methodsOf(owner: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(Object.getOwnPropertyDescriptors(owner)).map(([name, { value, get }]) => [
      name,
      value ?? get,
    ]),
  );
}
