// Sparks that fly off and fade. A fixed number of them, in columns.
import type { Happening } from './flight.ts';
import type { Sprites } from './gl.ts';

export type Sparks = {
  burst(x: number, y: number, happening: Happening): void;
  draw(lights: Sprites): void;
};

const COLOURS: Readonly<Record<Happening, readonly [number, number, number, number, number]>> = {
  // red, green, blue, count, speed
  hop: [0.6, 0.8, 1, 10, 2],
  caught: [1, 0.8, 0.5, 36, 4],
  star: [1, 0.95, 0.6, 50, 5],
  lost: [1, 0.4, 0.3, 160, 9],
};

export function makeSparks(most: number): Sparks {
  const places = new Float32Array(most * 4);
  const lives = new Float32Array(most);
  const tints = new Float32Array(most * 3);
  const colour: [number, number, number, number] = [0, 0, 0, 0];
  let next = 0;
  return {
    burst(x, y, happening) {
      const [red, green, blue, many, fast] = COLOURS[happening];
      for (let made = 0; made < many; made++) {
        const at = next++ % most;
        const angle = made * 2.399963;
        const speed = fast * (0.25 + ((made * 37) % 100) / 130);
        places.set([x, y, Math.cos(angle) * speed, Math.sin(angle) * speed], at * 4);
        tints.set([red, green, blue], at * 3);
        lives[at] = 1;
      }
    },
    draw(lights) {
      for (let at = 0; at < most; at++) {
        const life = lives[at] ?? 0;
        if (life <= 0) continue;
        lives[at] = life - 0.022;
        const place = at * 4;
        places[place] = (places[place] ?? 0) + (places[place + 2] ?? 0);
        places[place + 1] = (places[place + 1] ?? 0) + (places[place + 3] ?? 0);
        places[place + 2] = (places[place + 2] ?? 0) * 0.96;
        places[place + 3] = (places[place + 3] ?? 0) * 0.96;
        colour[0] = tints[at * 3] ?? 0;
        colour[1] = tints[at * 3 + 1] ?? 0;
        colour[2] = tints[at * 3 + 2] ?? 0;
        colour[3] = life * 0.8;
        lights.add(places[place] ?? 0, places[place + 1] ?? 0, 2 + life * 7, 0, colour);
      }
    },
  };
}
