// A WAV file with a tenth of a second of silence: 800 samples of 16 bits in one channel.

export function makeWav(): Buffer {
  const file = Buffer.alloc(44 + 1600);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(36 + 1600, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(8000, 24);
  file.writeUInt32LE(16_000, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(1600, 40);
  return file;
}
