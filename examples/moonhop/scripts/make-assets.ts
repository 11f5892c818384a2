// Generates all assets of the game in made/: images, sounds, the map of the sky. The same code generates the same bytes;
// assets of an unchanged generator are kept.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { seededRandom } from '../src/random.ts';
import type { SkyFile } from '../src/sky-map.ts';
import { fractal, makeNoise } from './noise.ts';
import { enlarge, type Paint, paintPng } from './png.ts';
import { makeChime, makeTheme } from './sounds.ts';

const MADE = join(import.meta.dirname, '../made');
const SOURCES = ['make-assets.ts', 'noise.ts', 'png.ts', 'sounds.ts', '../src/random.ts'];

function main(): void {
  const stamp = createHash('sha256');
  for (const source of SOURCES) stamp.update(readFileSync(join(import.meta.dirname, source)));
  const digest = stamp.digest('hex');
  const mark = join(MADE, '../.cache/made-by');
  if (existsSync(MADE) && existsSync(mark) && readFileSync(mark, 'utf8') === digest) return;
  rmSync(MADE, { recursive: true, force: true });
  save('art/nebula.png', paintNebula(4096, 4096));
  save('art/comet.png', paintComet(2048));
  for (let look = 0; look < 4; look++) save(`art/moon-${look}.png`, paintMoon(256, look));
  save('art/spark.png', paintSpark(64));
  save('art/star.png', paintStar(64));
  save('levels/sky.json', JSON.stringify(makeSky()));
  save('sounds/theme.wav', makeTheme());
  for (const [name, pitch] of [
    ['hop', 3],
    ['star', 12],
    ['lost', -14],
  ] as const) {
    save(`sounds/${name}.wav`, makeChime(pitch));
  }
  save('../.cache/made-by', digest);
}

function save(path: string, bytes: Buffer | string): void {
  const full = join(MADE, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, bytes);
}

/** The background: much larger than any screen. Intentionally costly. */
function paintNebula(width: number, height: number): Buffer {
  const noise = makeNoise(11);
  const random = seededRandom(12);
  const clouds: Paint = (x, y, out) => {
    const u = (x / width) * 8;
    const v = (y / height) * 8;
    const cloud = fractal(noise, u, v, 4, 4);
    const veil = noise(u * 2 + cloud * 3, v * 2, 8);
    const glow = Math.max(0, cloud - 0.38) * 1.7;
    out[0] = 0.03 + glow * (0.35 + veil * 0.5);
    out[1] = 0.025 + glow * 0.16 + veil * 0.02;
    out[2] = 0.07 + glow * (0.65 - veil * 0.2) + cloud * 0.06;
    out[3] = 1;
  };
  const drawn = enlarge(clouds, width, height, 8);
  return paintPng(width, height, (x, y, out) => {
    drawn(x, y, out);
    const star = random() > 0.9994 ? random() : 0;
    // Only 48 levels, so that the file is small. The size in memory does not change.
    for (let channel = 0; channel < 3; channel++) {
      out[channel] = Math.round((out[channel] ?? 0) * 48) / 48 + star;
    }
  });
}

/** A small comet with an image of four million pixels. Intentionally costly. */
function paintComet(size: number): Buffer {
  const noise = makeNoise(21);
  const light: Paint = (x, y, out) => {
    const u = x / size;
    const v = (y / size - 0.5) * 2;
    const width = 0.06 + u * 0.34;
    const tail = Math.max(0, 1 - Math.abs(v) / width) ** 2 * (1 - u) ** 1.5;
    const wisp = noise(u * 14, y / 40, 64) * 0.6 + 0.4;
    const head = Math.max(0, 1 - Math.hypot((u - 0.06) * 9, v * 4.5)) ** 2;
    const bright = Math.min(1, tail * wisp * 0.8 + head * 1.4);
    out[0] = Math.min(1, bright * 0.75 + head * 0.5);
    out[1] = Math.min(1, bright * 0.9 + head * 0.3);
    out[2] = bright;
    out[3] = bright;
  };
  return paintPng(size, size, enlarge(light, size, size, 4));
}

const MOON_COLOURS = [
  [0.86, 0.8, 0.7],
  [0.62, 0.72, 0.86],
  [0.9, 0.6, 0.5],
  [0.66, 0.84, 0.7],
] as const;

function paintMoon(size: number, look: number): Buffer {
  const noise = makeNoise(31 + look);
  const random = seededRandom(41 + look);
  const craters = Array.from(
    { length: 26 },
    () => [random(), random(), 0.02 + random() ** 3 * 0.14] as const,
  );
  const [red, green, blue] = MOON_COLOURS[look] ?? MOON_COLOURS[0];
  return paintPng(size, size, (x, y, out) => {
    const u = ((x + 0.5) / size - 0.5) * 2;
    const v = ((y + 0.5) / size - 0.5) * 2;
    const away = Math.hypot(u, v);
    const height = Math.sqrt(Math.max(0, 1 - away * away));
    let rock = 0.55 + fractal(noise, (u + 1) * 3, (v + 1) * 3, 8, 5) * 0.6;
    for (const [cx, cy, radius] of craters) {
      const near = Math.hypot(u - (cx * 2 - 1), v - (cy * 2 - 1)) / radius;
      if (near < 1) rock -= (1 - near) * 0.22;
      else if (near < 1.25) rock += (1.25 - near) * 0.5;
    }
    const sun = Math.max(0.1, -u * 0.55 - v * 0.5 + height * 0.75);
    const edge = Math.min(1, Math.max(0, (1 - away) * size * 0.35));
    out[0] = red * rock * sun;
    out[1] = green * rock * sun;
    out[2] = blue * rock * sun;
    out[3] = edge;
  });
}

function paintSpark(size: number): Buffer {
  return paintPng(size, size, (x, y, out) => {
    const away = Math.hypot((x + 0.5) / size - 0.5, (y + 0.5) / size - 0.5) * 2;
    out.fill(1);
    out[3] = Math.max(0, 1 - away) ** 2;
  });
}

function paintStar(size: number): Buffer {
  return paintPng(size, size, (x, y, out) => {
    const u = Math.abs((x + 0.5) / size - 0.5) * 2;
    const v = Math.abs((y + 0.5) / size - 0.5) * 2;
    const rays =
      Math.max(0, 1 - u) ** 2 * Math.max(0, 1 - v * 9) +
      Math.max(0, 1 - v) ** 2 * Math.max(0, 1 - u * 9);
    const light = Math.min(1, rays + Math.max(0, 1 - Math.hypot(u, v) * 2.2));
    out[0] = 1;
    out[1] = 0.9;
    out[2] = 0.6;
    out[3] = light;
  });
}

/** A chain of moons, stars between them, and dust as numbers in JSON. Intentionally costly. */
function makeSky(): SkyFile {
  const random = seededRandom(51);
  const moons: [number, number, number, number, number][] = [];
  const stars: [number, number][] = [];
  let x = 0;
  let y = 0;
  for (let index = 0; index < 240; index++) {
    const radius = Math.round(34 + random() * 34);
    moons.push([Math.round(x), Math.round(y), radius, radius + 46, index % 4]);
    const far = 300 + random() * 110;
    const turn = (random() - 0.5) * 1.5;
    const [fromX, fromY] = [x, y];
    x += Math.cos(turn) * far;
    y = y * 0.9 + Math.sin(turn) * far;
    if (random() > 0.35) stars.push([Math.round((fromX + x) / 2), Math.round((fromY + y) / 2)]);
  }
  const grains = Array.from({ length: 24_000 }, () => random() * (x + 2000) - 1000).sort(
    (one, other) => one - other,
  );
  const dust = grains.flatMap((at) => [at, (random() - 0.5) * 2600, 0.6 + random() ** 6 * 3]);
  return { seed: 51, moons, stars, dust };
}

main();
