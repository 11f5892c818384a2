// Music and chimes. Browsers allow sound only after the first press. The game also works without sound.
import { loadBytes } from './load.ts';

export type Sounds = {
  /** Plays a chime. `step` raises its pitch, for streaks. */
  play(name: 'hop' | 'star' | 'lost', step?: number): void;
  /** Starts the music. Call it at the first press. */
  wake(): void;
  toggle(): void;
  /** Settled when all sounds are decoded. */
  readonly ready: Promise<unknown>;
};

const NAMES = ['theme', 'hop', 'star', 'lost'] as const;

export function makeSounds(): Sounds {
  const context = new AudioContext();
  const volume = new GainNode(context, { gain: 0.5 });
  volume.connect(context.destination);
  const decoded = new Map<string, AudioBuffer>();
  const ready = Promise.allSettled(
    NAMES.map(async (name) => {
      const bytes = await loadBytes(`sounds/${name}.wav`);
      decoded.set(name, await context.decodeAudioData(bytes));
    }),
  );
  const sound = (name: string, rate: number, loop: boolean) => {
    const buffer = decoded.get(name);
    if (buffer === undefined || context.state !== 'running') return;
    const source = new AudioBufferSourceNode(context, { buffer, loop, playbackRate: rate });
    source.connect(volume);
    source.start();
  };
  let woken = false;
  return {
    ready,
    play: (name, step = 0) => sound(name, 2 ** (([0, 2, 4, 7, 9][step % 5] ?? 0) / 12), false),
    wake: () => {
      if (woken) return;
      woken = true;
      const started = Promise.all([context.resume(), ready]);
      started.then(() => sound('theme', 1, true)).catch(() => {});
    },
    toggle: () => {
      volume.gain.value = volume.gain.value > 0 ? 0 : 0.5;
    },
  };
}
