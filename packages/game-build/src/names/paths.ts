// Checks that a path is safe on every system that may unpack or serve it.
import type { BuildLimits } from '../limits.ts';

/** What is wrong with a path. */
export type PathFault = {
  readonly rule: string;
  readonly what: string;
  readonly hint: string | null;
};

// C0, DEL and C1 controls, line and paragraph separators, the byte order mark, and characters that change the writing direction.
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{feff}]/u;
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file: with any extension, also with superscript digits.
const RESERVED = /^(?:con|prn|aux|nul|(?:com|lpt)[1-9¹²³]|conin\$|conout\$)$/i;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether the bytes are valid UTF-8. */
export function isUtf8Name(raw: Uint8Array): boolean {
  try {
    strictUtf8.decode(raw);
    return true;
  } catch {
    return false;
  }
}

/** The first fault of an entry's name, or null. The name of a folder ends in one `/`. Does not check lengths. */
export function findPathFault(name: string): PathFault | null {
  if (name === '') return fault('path_empty', 'is an empty name.');
  if (CONTROL.test(name)) {
    return fault('path_control_character', 'contains a control character.', RENAME);
  }
  if (name.includes('\\')) {
    const hint = 'Make the ZIP with a tool that writes "/" between folders.';
    return fault('path_backslash', 'contains a backslash.', hint);
  }
  if (/^[a-z]:/i.test(name)) return fault('path_drive', 'begins with a drive letter.', RELATIVE);
  if (name.startsWith('/')) return fault('path_absolute', 'is an absolute path.', RELATIVE);
  if (name.includes(':')) {
    return fault('path_colon', 'contains a colon, which names a stream on Windows.', RENAME);
  }
  for (const segment of name.replace(/\/$/, '').split('/')) {
    const found = findSegmentFault(segment);
    if (found !== null) return found;
  }
  return null;
}

function findSegmentFault(segment: string): PathFault | null {
  if (segment === '') return fault('path_empty_segment', 'has an empty segment.', RENAME);
  // Full-width and one-character forms become dots on systems that normalize names.
  if (/^\.{1,2}$/.test(segment.normalize('NFKC'))) {
    return fault('path_dot_segment', 'has a "." or ".." segment.', RELATIVE);
  }
  if (/[. ]$/.test(segment)) {
    return fault(
      'path_trailing_dot_or_space',
      'has a segment that ends in a dot or space.',
      RENAME,
    );
  }
  const stem = (segment.split('.')[0] ?? '').trimEnd();
  if (RESERVED.test(stem)) {
    const what = `has a segment that is the Windows device ${stem.toUpperCase()}.`;
    return fault('path_reserved', what, RENAME);
  }
  return null;
}

/** The fault of a path that is too long or too deep, or null. */
export function findLengthFault(name: string, limits: BuildLimits): PathFault | null {
  const path = name.replace(/\/$/, '');
  const bytes = new TextEncoder().encode(path).length;
  if (bytes > limits.path_bytes) {
    const what = `is ${bytes} bytes long; ${limits.path_bytes} are allowed.`;
    return fault('path_bytes', what, 'Shorten the names of the file or its folders.');
  }
  const levels = path.split('/').length;
  if (levels > limits.path_levels) {
    const what = `is ${levels} levels deep; ${limits.path_levels} are allowed.`;
    return fault('path_levels', what, 'Put the file into fewer folders.');
  }
  return null;
}

const RENAME = 'Rename it.';
const RELATIVE = 'Paths must be relative to the folder with index.html.';

function fault(rule: string, what: string, hint: string | null = null): PathFault {
  return { rule, what, hint };
}
