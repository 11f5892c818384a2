// Draws a flight: nebula, dust, moons with their rings, stars, the traveller's trail, sparks, and a comet further out.
import { type Flight, type Happening, holdSeconds } from './flight.ts';
import { type Gl, makeBackdrop, makeDust, makeSprites } from './gl.ts';
import { makeSparks } from './sparks.ts';

export type Pictures = {
  readonly nebula: WebGLTexture;
  readonly moons: readonly WebGLTexture[];
  readonly spark: WebGLTexture;
  readonly star: WebGLTexture;
  /** Loaded during play. */
  comet: WebGLTexture | null;
};

export type Scene = {
  happened(flight: Flight, happening: Happening): void;
  draw(flight: Flight, seconds: number): void;
};

type Colour = readonly [number, number, number, number];
const RING_DOTS = 56;
const DUST_REACH = 1_100;
const WARM: Colour = [1, 0.81, 0.48, 1];
const TRAIL = 90;

export function makeScene(
  gl: Gl,
  canvas: HTMLCanvasElement,
  pictures: Pictures,
  dust: Float32Array<ArrayBuffer>,
): Scene {
  const backdrop = makeBackdrop(gl);
  const drawDust = makeDust(gl, dust, DUST_REACH);
  const moonSprites = makeSprites(gl, 32);
  const lights = makeSprites(gl, 4_096);
  const starSprites = makeSprites(gl, 64);
  const cometSprite = makeSprites(gl, 1);
  const sparks = makeSparks(600);
  const trail = new Float32Array(TRAIL * 2);
  const camera = { x: 0, y: 0, shake: 0 };
  const view = new Float32Array(4);
  const window = new Float32Array(4);
  const parallax = new Float32Array(4);
  let drawn = 0;

  return {
    happened(flight, happening) {
      if (happening === 'caught') camera.shake = 7;
      if (happening === 'lost') camera.shake = 18;
      sparks.burst(flight.x, flight.y, happening);
    },
    draw(flight, seconds) {
      resize(gl, canvas);
      follow(camera, flight);
      const scale = 2 / Math.max(620, Math.min(900, canvas.clientWidth));
      const ratio = canvas.width / Math.max(1, canvas.height);
      const jolt = Math.sin(seconds * 70) * camera.shake;
      const narrow = ratio < 1 ? 1.15 : 1;
      view.set([camera.x + jolt, camera.y, scale * narrow, scale * narrow * ratio]);
      window.set([camera.x * 0.00006, camera.y * 0.00006, 0.16, 0.16 / ratio]);
      parallax.set([camera.x * 0.6, camera.y * 0.6, view[2] ?? 0, view[3] ?? 0]);
      gl.disable(gl.BLEND);
      backdrop(pictures.nebula, window, Math.sin(seconds * 0.6));
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE);
      drawDust(pictures.spark, parallax);
      if (pictures.comet !== null) {
        const along = (seconds * 46) % 2400;
        cometSprite.add(
          camera.x + 900 - along,
          camera.y - 130 + along * 0.05,
          210,
          0.25,
          [1, 1, 1, 0.9],
        );
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        cometSprite.draw(pictures.comet, view);
      }
      addMoons(flight, moonSprites, pictures, view, gl);
      gl.blendFunc(gl.ONE, gl.ONE);
      addRings(flight, lights, seconds);
      addTrail(flight, trail, lights, drawn++);
      sparks.draw(lights);
      lights.draw(pictures.spark, view);
      addStars(flight, starSprites, seconds);
      starSprites.draw(pictures.star, view);
    },
  };
}

function resize(gl: Gl, canvas: HTMLCanvasElement): void {
  const ratio = Math.min(2, devicePixelRatio);
  const width = Math.round(canvas.clientWidth * ratio);
  const height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width === width && canvas.height === height) return;
  canvas.width = width;
  canvas.height = height;
  gl.viewport(0, 0, width, height);
}

/** Moves the camera, which looks ahead and follows with a delay. */
function follow(camera: { x: number; y: number; shake: number }, flight: Flight): void {
  const { course } = flight;
  const moon = course.state === 'circling' ? flight.moons[course.moon] : undefined;
  camera.x += ((moon?.x ?? flight.x) + 190 - camera.x) * 0.06;
  camera.y += ((moon?.y ?? flight.y) - camera.y) * 0.06;
  camera.shake *= 0.88;
}

/** Draws the moons near the traveller. `draw` is called when the texture changes. */
function addMoons(
  flight: Flight,
  sprites: ReturnType<typeof makeSprites>,
  pictures: Pictures,
  view: Float32Array,
  gl: Gl,
): void {
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const here = currentMoon(flight);
  pictures.moons.forEach((texture, look) => {
    for (let index = Math.max(0, here - 3); index < here + 7; index++) {
      const moon = flight.moons[index];
      if (moon === undefined || moon.look !== look) continue;
      const left = index === here ? crumbled(flight) : 0;
      const shrink = 1 - left * left * 0.45;
      sprites.add(moon.x, moon.y, moon.radius * shrink, index * 1.7, [
        1,
        1 - left * 0.55,
        1 - left * 0.7,
        1,
      ]);
    }
    sprites.draw(texture, view);
  });
}

/** Draws the rings as dots. The ring of the current moon disappears as it crumbles. */
function addRings(flight: Flight, lights: ReturnType<typeof makeSprites>, seconds: number): void {
  const here = currentMoon(flight);
  for (let index = Math.max(0, here - 1); index < here + 5; index++) {
    const moon = flight.moons[index];
    if (moon === undefined) continue;
    const lit = index === here ? 1 - crumbled(flight) : 1;
    const near =
      index === here ? 0.75 : index === here + 1 ? 0.5 + Math.sin(seconds * 5) * 0.15 : 0.2;
    for (let dot = 0; dot < RING_DOTS * lit; dot++) {
      const angle = (dot / RING_DOTS) * 2 * Math.PI + seconds * 0.15;
      const x = moon.x + Math.cos(angle) * moon.orbit;
      lights.add(x, moon.y + Math.sin(angle) * moon.orbit, 3.4, 0, [0.55, 0.75, 1, near]);
    }
  }
}

function addTrail(
  flight: Flight,
  trail: Float32Array,
  lights: ReturnType<typeof makeSprites>,
  frame: number,
): void {
  if (frame === 0) for (let at = 0; at < TRAIL; at++) trail.set([flight.x, flight.y], at * 2);
  const newest = frame % TRAIL;
  trail.set([flight.x, flight.y], newest * 2);
  for (let age = 0; age < TRAIL; age++) {
    const at = ((newest - age + TRAIL) % TRAIL) * 2;
    const fade = (1 - age / TRAIL) ** 2;
    lights.add(trail[at] ?? 0, trail[at + 1] ?? 0, 3 + fade * 11, 0, [1, 0.7, 0.35, fade * 0.35]);
  }
  if (flight.course.state !== 'lost') {
    lights.add(flight.x, flight.y, 30, 0, [1, 0.75, 0.4, 0.55]);
    lights.add(flight.x, flight.y, 12, 0, [1, 1, 0.9, 1]);
  }
}

function addStars(flight: Flight, sprites: ReturnType<typeof makeSprites>, seconds: number): void {
  for (const star of flight.stars) {
    if (star.taken || Math.abs(star.x - flight.x) > 1200) continue;
    sprites.add(star.x, star.y + Math.sin(seconds * 2 + star.x) * 5, 24, seconds * 0.4, WARM);
  }
}

function currentMoon({ course }: Flight): number {
  return course.state === 'circling' ? course.moon : course.state === 'flying' ? course.from : 0;
}

/** How far the current moon has crumbled, 0 to 1. */
function crumbled({ course }: Flight): number {
  return course.state === 'circling' ? Math.min(1, course.held / holdSeconds(course.moon)) : 0;
}
