// The data that Node's single executables contain: a script that starts, and named files.
// The format is that of Node's src/node_sea.cc (`SeaSerializer`); a test compares it with what Node itself writes.

const MAGIC = 0x01_43_da_20;
/** Flags of `SeaFlags`: no warning about an experimental feature, and there are files. */
const FLAGS = 0b0001 | 0b1000;
/** The value of `execArgvExtension`: NODE_OPTIONS adds options, as for `node`. */
const FROM_ENVIRONMENT = 1;
/** The value of `mainFormat`, which Node has since 25.7. */
const COMMON_JS = 0;

export type SeaContents = {
  /** The script, in CommonJS. */
  readonly main: string;
  /** The name of the script in stack traces. */
  readonly mainName: string;
  /** The files by name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
};

/** Returns the data for a version of Node, such as `24.21.0`. The number of its processor's bits is 64. */
export function seaBlob({ main, mainName, files }: SeaContents, nodeVersion: string): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(FLAGS, 4);
  head.writeUInt8(FROM_ENVIRONMENT, 8);
  const format = hasMainFormat(nodeVersion) ? [Buffer.of(COMMON_JS)] : [];
  const parts = [head, ...format, text(mainName), text(main), count(files.size)];
  for (const [name, bytes] of files)
    parts.push(text(name), count(bytes.length), Buffer.from(bytes));
  return Buffer.concat(parts);
}

function hasMainFormat(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 25 || (major === 25 && minor >= 7);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([count(bytes.length), bytes]);
}

function count(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
