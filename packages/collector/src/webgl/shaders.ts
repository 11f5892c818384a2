// Shader work of WebGL: the time in compileShader and linkProgram, and in the first query of the result, which waits for drivers
// that work in the background. The collector makes no queries of its own.
import { roundMs } from '@svc/trace/write';
import type { Asset, Assets } from '../assets/assets.ts';
import type { Sink } from '../sink/sink.ts';
import { timeGl } from './contexts.ts';

/** What three.js and others write into a shader's source. */
const NAME = /^\s*#define\s+SHADER_(?:NAME|TYPE)\s+(\w+)/m;
/** A wait shorter than this says nothing. */
const WAIT_MS = 0.05;

/** What is known of a program or a shader until its program is linked. */
type Work = { name: string; ms: number };

/** Follows shaders and programs on the given prototypes. */
export function followShaders(
  sink: Sink,
  assets: Assets,
  owners: readonly object[],
): ((() => void) | null)[] {
  const shaders = new WeakMap<object, Work>();
  const programs = new WeakMap<object, Asset>();
  /** The attached shaders of each program. `getAttachedShaders` would write a warning for programs of another context. */
  const attached = new WeakMap<object, Set<unknown>>();
  const attachedTo = (program: object): Set<unknown> => {
    const found = attached.get(program) ?? new Set();
    attached.set(program, found);
    return found;
  };
  const workOf = (shader: unknown): Work => {
    if (typeof shader !== 'object' || shader === null) return { name: '', ms: 0 };
    const found = shaders.get(shader) ?? { name: '', ms: 0 };
    shaders.set(shader, found);
    return found;
  };
  const tell = (program: object, asset: Asset, at: number, ms: number) => {
    programs.set(program, asset);
    const time = roundMs(ms);
    assets.record(asset, 'compile', at, { duration_ms: time, main_thread_ms: time });
  };
  /** The first question after linking waits for the driver; later ones are answered at once. */
  const wait = (name: string) =>
    timeGl(sink, owners, name, (_gl, args, _result, at, ms) => {
      const [program] = args;
      if (ms < WAIT_MS || typeof program !== 'object' || program === null) return;
      const asset = programs.get(program);
      if (asset !== undefined) tell(program, asset, at, ms);
    });
  return [
    ...timeGl(sink, owners, 'shaderSource', (_gl, args) => {
      const source = args[1];
      if (typeof source === 'string') workOf(args[0]).name = NAME.exec(source)?.[1] ?? '';
    }),
    ...timeGl(sink, owners, 'compileShader', (_gl, args, _result, _at, ms) => {
      workOf(args[0]).ms += ms;
    }),
    ...['getShaderParameter', 'getShaderInfoLog'].flatMap((name) =>
      timeGl(sink, owners, name, (_gl, args, _result, _at, ms) => {
        workOf(args[0]).ms += ms;
      }),
    ),
    ...timeGl(sink, owners, 'attachShader', (_gl, [program, shader]) => {
      if (typeof program === 'object' && program !== null) attachedTo(program).add(shader);
    }),
    ...timeGl(sink, owners, 'detachShader', (_gl, [program, shader]) => {
      if (typeof program === 'object' && program !== null) attachedTo(program).delete(shader);
    }),
    ...timeGl(sink, owners, 'linkProgram', (_gl, [program], _result, at, ms) => {
      if (typeof program !== 'object' || program === null) return;
      const parts = [...attachedTo(program)].map(workOf);
      const name = parts.find((part) => part.name !== '')?.name;
      const asset =
        assets.own(program) ??
        programs.get(program) ??
        (name === undefined ? assets.unnamed('shader', 'shader') : assets.ofName(name, 'shader'));
      let total = ms;
      for (const part of parts) {
        total += part.ms;
        part.ms = 0;
      }
      tell(program, asset, at, total);
    }),
    ...['getProgramParameter', 'getProgramInfoLog', 'useProgram', 'getUniformLocation'].flatMap(
      wait,
    ),
  ];
}
