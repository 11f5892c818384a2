// Removes the signature of a program for Windows, because a changed program has an invalid one.
// Structures: https://learn.microsoft.com/windows/win32/debug/pe-format

const DOS_HEADER_BYTES = 0x40;
const PE_OFFSET = 0x3c;
/** Of the optional header, behind the signature and the COFF header. */
const OPTIONAL_HEADER = 24;
const CHECKSUM = 64;
/** Of PE32+: the certificate table is the fifth data directory. */
const CERTIFICATES = 112 + 4 * 8;

/** Returns the program without its signature. Throws if it is no PE32+ file, or has something else behind the signature. */
export function unsignPe(program: Buffer): Buffer {
  const pe = program.length < DOS_HEADER_BYTES ? program.length : program.readUInt32LE(PE_OFFSET);
  const optional = pe + OPTIONAL_HEADER;
  const isPe = program.toString('latin1', pe, pe + 4) === 'PE\0\0';
  if (!isPe || program.readUInt16LE(optional) !== 0x20b) {
    throw new Error('Not a 64-bit PE program');
  }
  const offset = program.readUInt32LE(optional + CERTIFICATES);
  const size = program.readUInt32LE(optional + CERTIFICATES + 4);
  if (offset === 0) return program;
  if (offset + size !== program.length) throw new Error('The signature is not at the end');
  const unsigned = Buffer.from(program.subarray(0, offset));
  unsigned.writeUInt32LE(0, optional + CERTIFICATES);
  unsigned.writeUInt32LE(0, optional + CERTIFICATES + 4);
  unsigned.writeUInt32LE(0, optional + CHECKSUM);
  return unsigned;
}
