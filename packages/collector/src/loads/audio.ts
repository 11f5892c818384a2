// Audio decodes: how long, and what the sound takes in memory once decoded (32-bit samples, one plane a channel).
import { roundMs } from '@svc/trace/write';
import type { Asset, Assets } from '../assets/assets.ts';
import { apply, replaceMethod } from '../hooks/patch.ts';
import { watch } from '../hooks/timed.ts';
import { now } from '../sink/clock.ts';
import { attempt, type Part, quietly } from '../sink/sink.ts';

/** Times `decodeAudioData`, by promise and by callback. */
export function audio(assets: Assets): Part {
  return (sink) => {
    const owner = globalThis.BaseAudioContext?.prototype;
    if (owner === undefined) return 'this context has no Web Audio';
    const undo = replaceMethod(owner, 'decodeAudioData', (original) => {
      return function (this: unknown, ...args: never[]) {
        if (!sink.on) return apply(original, this, args);
        const at = now();
        const [encoded, whenDone]: readonly unknown[] = args;
        const asset =
          attempt(() => assets.of(encoded, 'audio')) ?? assets.unnamed('sound', 'audio');
        const size = encoded instanceof ArrayBuffer ? encoded.byteLength : 0;
        let called = 0;
        const see = (sound: unknown) => {
          assets.tie(sound, asset);
          tellDecode(assets, asset, at, called, size, sound);
        };
        const callback = typeof whenDone === 'function' ? heard(whenDone, see) : null;
        const promise =
          callback === null
            ? apply(original, this, args)
            : apply(original, this, [encoded, callback, ...args.slice(2)]);
        called = now() - at;
        return callback === null ? watch(promise, see) : promise;
      };
    });
    return undo ?? 'its methods cannot be replaced';
  };
}

/** The game's callback, with ours before it. With a callback the promise is left as it is: nobody may be watching it. */
function heard(callback: unknown, see: (sound: unknown) => void) {
  return function (this: unknown, ...args: unknown[]): unknown {
    quietly(() => see(args[0]));
    return typeof callback === 'function' ? apply(callback, this, args) : undefined;
  };
}

function tellDecode(
  assets: Assets,
  asset: Asset,
  at: number,
  called: number,
  encoded: number,
  sound: unknown,
): void {
  if (!(sound instanceof AudioBuffer)) return;
  if (asset.kind === 'other') asset.kind = 'audio';
  assets.tell(asset, 'decode', at, {
    duration_ms: roundMs(now() - at),
    main_thread_ms: roundMs(called),
    encoded_bytes: encoded,
    bytes: sound.length * sound.numberOfChannels * 4,
    dims: [sound.length, sound.numberOfChannels],
  });
}
