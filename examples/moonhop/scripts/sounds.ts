// Sounds as 16-bit WAV: chimes, and a theme of plucked strings over a soft bass.

const RATE = 22_050;

/** A short bell, `semitones` above A4. */
export function makeChime(semitones: number): Buffer {
  const frequency = 440 * 2 ** (semitones / 12);
  return writeWav(1, RATE * 0.7, (second) => {
    const fade = Math.exp(-second * 7);
    const bell = Math.sin(
      2 * Math.PI * frequency * second + Math.sin(2 * Math.PI * frequency * 2.01 * second) * fade,
    );
    return bell * fade * 0.5;
  });
}

const CHORDS = [
  [-12, 0, 7, 16],
  [-15, 0, 9, 12],
  [-8, 4, 7, 11],
  [-10, 2, 5, 14],
] as const;
const BEAT_S = 0.3;
const BEATS = 64;

/** A stereo loop of about twenty seconds, uncompressed. Intentionally costly. */
export function makeTheme(): Buffer {
  const seconds = BEATS * BEAT_S;
  return writeWav(2, Math.round(seconds * RATE), (second, channel) => {
    const beat = Math.floor(second / BEAT_S);
    let sum = 0;
    for (let back = 0; back < 4; back++) {
      const at = (beat - back + BEATS) % BEATS;
      const chord = CHORDS[Math.floor(at / 16) % 4] ?? CHORDS[0];
      const note = chord[[1, 2, 3, 2, 1, 3, 2, 3][at % 8] ?? 1] ?? 0;
      const age = second - (beat - back) * BEAT_S;
      sum += pluck(261.6 * 2 ** (note / 12), age) * (at % 2 === channel ? 0.16 : 0.08);
    }
    const root = CHORDS[Math.floor(beat / 16) % 4]?.[0] ?? 0;
    return sum + Math.sin(2 * Math.PI * 130.8 * 2 ** (root / 12) * second) * 0.12;
  });
}

function pluck(frequency: number, age: number): number {
  const wave = 2 * Math.PI * frequency * age;
  return Math.exp(-age * 4) * (Math.sin(wave) + 0.5 * Math.sin(2 * wave) * Math.exp(-age * 6));
}

function writeWav(
  channels: number,
  frames: number,
  sample: (second: number, channel: number) => number,
): Buffer {
  const length = Math.floor(frames) * channels * 2;
  const file = Buffer.alloc(44 + length);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(36 + length, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE * channels * 2, 28);
  file.writeUInt16LE(channels * 2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(length, 40);
  for (let frame = 0; frame < Math.floor(frames); frame++) {
    for (let channel = 0; channel < channels; channel++) {
      const value = Math.max(-1, Math.min(1, sample(frame / RATE, channel)));
      file.writeInt16LE(Math.round(value * 32_767), 44 + (frame * channels + channel) * 2);
    }
  }
  return file;
}
