// The map of the sky from the JSON file: moons, stars and dust.
import type { Moon, Star } from './flight.ts';

/** `levels/sky.json`. Moons are `[x, y, radius, orbit, look]`, stars `[x, y]`, dust `x, y, size, x, y, size, …`. */
export type SkyFile = {
  readonly seed: number;
  readonly moons: readonly (readonly [number, number, number, number, number])[];
  readonly stars: readonly (readonly [number, number])[];
  readonly dust: readonly number[];
};

export type SkyMap = {
  readonly moons: readonly Moon[];
  readonly stars: readonly Omit<Star, 'taken'>[];
  readonly dust: Float32Array<ArrayBuffer>;
};

/** Creates the map from the parsed file. A `seed` other than 0 varies it. */
export function readSky(file: SkyFile, shake: () => number): SkyMap {
  return {
    moons: file.moons.map(([x, y, radius, orbit, look]) => ({
      x,
      y: y + (shake() - 0.5) * 60,
      radius,
      orbit,
      look,
    })),
    stars: file.stars.map(([x, y]) => ({ x, y })),
    dust: new Float32Array(file.dust),
  };
}
