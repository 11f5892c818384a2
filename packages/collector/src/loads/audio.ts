// Audio decodes: duration, and memory of the decoded sound (32-bit samples, one plane per channel).
import type { Asset, Assets } from '../assets/assets.ts';
import { apply, replaceMethod } from '../hooks/patch.ts';
import { type Call, watch } from '../hooks/timed.ts';
import { now } from '../sink/clock.ts';
import { attempt, type Part, quietly } from '../sink/sink.ts';
import { recordDecode } from './record-decode.ts';

/** Times `decodeAudioData`, called with a promise or a callback. */
export function audio(assets: Assets): Part {
  return (sink) => {
    const owner = globalThis.BaseAudioContext?.prototype;
    if (owner === undefined) return 'this context has no Web Audio';
    const undo = replaceMethod(owner, 'decodeAudioData', (original) => {
      return function (this: unknown, ...args: never[]) {
        if (!sink.on) return apply(original, this, args);
        const [encoded, whenDone]: readonly unknown[] = args;
        const asset =
          attempt(() => assets.of(encoded, 'audio')) ?? assets.unnamed('sound', 'audio');
        const size = attempt(() => encoded instanceof ArrayBuffer && encoded.byteLength) || 0;
        const call = { at: now(), ms: 0, encoded: size };
        const see = (sound: unknown) => {
          assets.tie(sound, asset);
          recordSound(assets, asset, call, sound);
        };
        const callback = typeof whenDone === 'function' ? heard(whenDone, see) : null;
        const promise =
          callback === null
            ? apply(original, this, args)
            : apply(original, this, [encoded, callback, ...args.slice(2)]);
        call.ms = now() - call.at;
        return callback === null ? watch(promise, see) : promise;
      };
    });
    return undo ?? 'its methods cannot be replaced';
  };
}

/** The game's callback, with ours before it. The promise is then not used, because the game may not handle it. */
function heard(callback: unknown, see: (sound: unknown) => void) {
  return function (this: unknown, ...args: unknown[]): unknown {
    quietly(() => see(args[0]));
    return typeof callback === 'function' ? apply(callback, this, args) : undefined;
  };
}

function recordSound(
  assets: Assets,
  asset: Asset,
  call: Call & { readonly encoded: number },
  sound: unknown,
): void {
  if (!(sound instanceof AudioBuffer)) return;
  const { length, numberOfChannels } = sound;
  if (asset.kind === 'other') asset.kind = 'audio';
  recordDecode(assets, asset, call, {
    encoded_bytes: call.encoded,
    bytes: length * numberOfChannels * 4,
    dims: [length, numberOfChannels],
  });
}
