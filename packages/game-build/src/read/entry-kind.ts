// The kind of an entry (regular file, folder or other) by its attributes and extra fields.
import type { ExtraField } from './extra-fields.ts';

const FORMAT_MASK = 0xf000;
const FOLDER = 0x4000;
const REGULAR = 0x8000;
const FORMATS: Readonly<Record<number, string>> = {
  4096: 'a pipe',
  8192: 'a character device',
  24576: 'a block device',
  40960: 'a symbolic link',
  49152: 'a socket',
};

const DOS_VOLUME_LABEL = 0x08;
const DOS_FOLDER = 0x10;
const DOS_DEVICE = 0x40;
const NTFS_REPARSE_POINT = 0x400;
/** MS-DOS and OS/2, NTFS (both numbers in use), VFAT: hosts whose attributes are those of Windows. */
const WINDOWS_HOSTS = [0, 6, 10, 11, 14];

/** The kind that a field claims. `forbidden` describes a kind that is not allowed. */
export type ClaimedKind = 'file' | 'folder' | { readonly forbidden: string };

/**
 * The kind by the external attributes, or null if they do not state it. The Unix mode counts for every host system, because
 * some tools apply it without checking the host. Other mode bits, such as set-user-id, are ignored: they are never applied.
 */
export function kindOfAttributes(host: number, attributes: number): ClaimedKind | null {
  const claimed = kindOfMode(attributes >>> 16);
  if (typeof claimed === 'object' && claimed !== null) return claimed;
  const dos = attributes & 0xffff;
  if (WINDOWS_HOSTS.includes(host) && (dos & NTFS_REPARSE_POINT) !== 0) {
    return { forbidden: 'a Windows link (reparse point)' };
  }
  if (WINDOWS_HOSTS.includes(host) && (dos & DOS_DEVICE) !== 0) return { forbidden: 'a device' };
  if ((dos & DOS_VOLUME_LABEL) !== 0) return { forbidden: 'a volume label' };
  const folder = (dos & DOS_FOLDER) !== 0;
  if (folder && claimed === 'file') return { forbidden: 'a file and a folder at once' };
  return folder ? 'folder' : claimed;
}

function kindOfMode(mode: number): ClaimedKind | null {
  const format = mode & FORMAT_MASK;
  if (format === 0) return null;
  if (format === FOLDER) return 'folder';
  if (format === REGULAR) return 'file';
  return { forbidden: FORMATS[format] ?? 'of an unknown kind' };
}

const PKWARE_UNIX = 0x000d;
const ASI_UNIX = 0x756e;
const LIBARCHIVE_GLANCE = 0x6c78;

/**
 * The kinds that extra fields claim. PKWARE's Unix field has the target of a link, ASi's field has a mode, and the field that
 * libarchive writes into local headers repeats the attributes.
 */
export function kindsOfExtraFields(fields: readonly ExtraField[]): ClaimedKind[] {
  return fields.flatMap(({ id, data }) => {
    if (id === PKWARE_UNIX && data.length > 12) return [{ forbidden: 'a link or a device' }];
    if (id === ASI_UNIX && data.length >= 6) return listed(kindOfMode(data.readUInt16LE(4)));
    if (id === LIBARCHIVE_GLANCE) return listed(kindAtAGlance(data));
    return [];
  });
}

function listed(kind: ClaimedKind | null): ClaimedKind[] {
  return kind === null ? [] : [kind];
}

/** The field begins with a bitmap of the values that follow: 1 "version made by", 2 internal attributes, 4 external attributes. */
function kindAtAGlance(data: Buffer): ClaimedKind | null {
  const bitmap = data[0] ?? 0;
  if ((bitmap & 0x80) !== 0) return { forbidden: 'of an unknown kind' };
  const at = 1 + ((bitmap & 1) !== 0 ? 2 : 0) + ((bitmap & 2) !== 0 ? 2 : 0);
  if ((bitmap & 4) === 0 || at + 4 > data.length) return null;
  const host = (bitmap & 1) !== 0 ? (data[2] ?? 0) : 3;
  return kindOfAttributes(host, data.readUInt32LE(at));
}
