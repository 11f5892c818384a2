// Smooth tileable noise for clouds, craters and rock.
import { seededRandom } from '../src/random.ts';

const SIZE = 256;

/** Noise from 0 to 1 that repeats every `period` lattice points. */
export function makeNoise(seed: number): (x: number, y: number, period: number) => number {
  const random = seededRandom(seed);
  const lattice = Float32Array.from({ length: SIZE * SIZE }, random);
  return (x, y, period) => {
    const x0 = Math.floor(x);
    const y0 = Math.floor(y);
    const fx = smooth(x - x0);
    const fy = smooth(y - y0);
    const at = (dx: number, dy: number): number =>
      lattice[wrap(y0 + dy, period) * SIZE + wrap(x0 + dx, period)] ?? 0;
    const top = at(0, 0) + (at(1, 0) - at(0, 0)) * fx;
    const bottom = at(0, 1) + (at(1, 1) - at(0, 1)) * fx;
    return top + (bottom - top) * fy;
  };
}

/** Several octaves of noise, each half as strong as the one before. */
export function fractal(
  noise: (x: number, y: number, period: number) => number,
  x: number,
  y: number,
  period: number,
  octaves: number,
): number {
  let sum = 0;
  let strength = 0.5;
  let scale = 1;
  for (let octave = 0; octave < octaves; octave++) {
    sum += noise(x * scale, y * scale, period * scale) * strength;
    strength /= 2;
    scale *= 2;
  }
  return sum;
}

function wrap(value: number, period: number): number {
  return (((value % period) + period) % period) & (SIZE - 1);
}

function smooth(t: number): number {
  return t * t * (3 - 2 * t);
}
