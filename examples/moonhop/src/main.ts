// The main loop: starts the recording, loads assets, handles input, advances the flight, draws. The rules are in flight.ts.
import * as svc from '@svc/collector';
import { addOverlay } from '@svc/collector/overlay';
import { type Flight, type Happening, newFlight, STEP_S, step } from './flight.ts';
import { makeGamepad } from './gamepad.ts';
import { makeTexture, openGl } from './gl.ts';
import { loadPicture, loadPictureLazily, loadSky } from './load.ts';
import { pilotLetsGo } from './pilot.ts';
import { seededRandom } from './random.ts';
import { makeScene, type Pictures, type Scene } from './scene.ts';
import { readSky, type SkyMap } from './sky-map.ts';
import { makeSounds, type Sounds } from './sounds.ts';
import { element, makeWords } from './words.ts';

/** The comet appears at this moon. Its image is loaded only then. */
const COMET_AT_MOON = 4;
/** Longest step in one frame, so that the game does not jump after a pause of the tab. */
const LONGEST_FRAME_S = 0.1;

const options = new URLSearchParams(location.search);

async function main(): Promise<void> {
  svc.start();
  addOverlay();
  // For the console: svc.exportText().
  Object.assign(globalThis, { svc });
  const words = makeWords();
  const canvas = element('sky', HTMLCanvasElement);
  const gl = openGl(canvas);
  const sounds = makeSounds();
  const loading = svc.span('load', 'game');
  const seed = Number(options.get('seed') ?? 0);
  const sky = readSky(
    await loadSky('levels/sky.json'),
    seed === 0 ? () => 0.5 : seededRandom(seed),
  );
  svc.asset(sky.dust, { name: 'levels/sky.json (dust)', kind: 'mesh' });
  const pictures = await loadPictures(gl);
  const scene = makeScene(gl, canvas, pictures, sky.dust);
  await sounds.ready;
  loading.end();
  svc.mark('ready');
  play({ gl, sky, scene, sounds, pictures, words, piloted: options.has('pilot') });
}

async function loadPictures(gl: WebGL2RenderingContext): Promise<Pictures> {
  const [nebula, spark, star, ...moons] = await Promise.all([
    loadPictureLazily('art/nebula.png'),
    ...['spark', 'star', 'moon-0', 'moon-1', 'moon-2', 'moon-3'].map((name) =>
      loadPicture(`art/${name}.png`),
    ),
  ]);
  if (spark === undefined || star === undefined)
    throw new Error('Cannot start: images are missing');
  return {
    spark: makeTexture(gl, spark),
    star: makeTexture(gl, star),
    moons: moons.map((moon) => makeTexture(gl, moon)),
    nebula: makeTexture(gl, nebula),
    comet: null,
  };
}

type Game = {
  readonly gl: WebGL2RenderingContext;
  readonly sky: SkyMap;
  readonly scene: Scene;
  readonly sounds: Sounds;
  readonly pictures: Pictures;
  readonly words: ReturnType<typeof makeWords>;
  readonly piloted: boolean;
};

function play(game: Game): void {
  let flight = newFlight(game.sky.moons, game.sky.stars);
  let pressed = false;
  let paused = false;
  let started = game.piloted;
  let before = performance.now();
  let owed = 0;

  const press = () => {
    game.sounds.wake();
    if (flight.course.state === 'lost') {
      flight = newFlight(game.sky.moons, game.sky.stars);
      svc.mark('new flight');
    } else if (started) pressed = true;
    started = true;
    game.words.playing();
  };
  onPress(press, {
    KeyM: () => game.sounds.toggle(),
    KeyP: () => {
      paused = !paused;
      game.words.paused(paused);
    },
  });
  game.words.ready(game.piloted);
  const gamepadPressed = makeGamepad();

  const frame = (time: number) => {
    requestAnimationFrame(frame);
    if (gamepadPressed()) press();
    owed += Math.min(LONGEST_FRAME_S, (time - before) / 1000);
    before = time;
    for (; owed >= STEP_S; owed -= STEP_S) {
      if (paused || !started) continue;
      const letGo = pressed || (game.piloted && pilotLetsGo(flight));
      pressed = false;
      for (const happening of step(flight, letGo)) react(game, flight, happening);
    }
    game.scene.draw(flight, time / 1000);
  };
  requestAnimationFrame(frame);
}

function react(game: Game, flight: Flight, happening: Happening): void {
  game.scene.happened(flight, happening);
  if (happening !== 'caught') game.sounds.play(happening, flight.streak);
  game.words.show(flight.score, flight.streak);
  if (happening === 'lost') {
    svc.mark('lost');
    svc.counter('score', flight.score, 'points');
    game.words.lost(flight.score);
  }
  const { course } = flight;
  if (happening === 'caught' && course.state === 'circling') {
    svc.counter('moon', course.moon);
    if (course.moon === COMET_AT_MOON) bringComet(game);
  }
}

/** Loads a large image during play and uploads it immediately. Intentionally bad. */
function bringComet({ gl, pictures }: Game): void {
  if (pictures.comet !== null) return;
  svc.mark('comet');
  loadPictureLazily('art/comet.png').then(
    (image) => {
      pictures.comet = makeTexture(gl, image);
    },
    () => {},
  );
}

/** Space, Enter, a click or a tap press the button. Other keys are handled by their code. */
function onPress(press: () => void, keys: Readonly<Record<string, () => void>>): void {
  addEventListener('keydown', (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.code === 'Space' || event.code === 'Enter') {
      event.preventDefault();
      press();
    } else keys[event.code]?.();
  });
  element('sky', HTMLCanvasElement).addEventListener('pointerdown', press);
}

main().catch((error: unknown) => {
  element('line', HTMLElement).textContent =
    error instanceof Error ? error.message : 'The game cannot start';
});
