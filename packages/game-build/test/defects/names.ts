// Defects of names.
import { buildZip } from '../zip-builder.ts';
import { INDEX, named, TEXT, withEntry } from './cases.ts';

const RESERVED = [
  'CON',
  'con.txt',
  'Aux.js',
  'nul',
  'PRN.tar.gz',
  'COM1',
  'com9.png',
  'LPT1',
  'COM¹',
  'lpt².txt',
  'COM³',
  'CONIN$',
  'conout$',
  'NUL .txt',
];

const CONTROLS = [
  0x00, 0x01, 0x09, 0x0a, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9f, 0x2028, 0x2029, 0x202e, 0x2066,
  0x200e, 0x200f, 0x061c, 0xfeff,
];

function reserved(): [string, () => Buffer][] {
  return RESERVED.map((name, i) => [`zip_path_invalid--reserved-${i}`, named(`a/${name}`)]);
}

function controls(): [string, () => Buffer][] {
  return CONTROLS.map((code) => [
    `zip_path_invalid--control-${code.toString(16)}`,
    named(`a${String.fromCodePoint(code)}b`),
  ]);
}

export const NAMES_DEFECTS: Readonly<Record<string, () => Buffer>> = {
  ...Object.fromEntries([...reserved(), ...controls()]),
  'zip_path_invalid--parent': named('../a.txt'),
  'zip_path_invalid--parent-inside': named('a/../../b.txt'),
  'zip_path_invalid--parent-at-end': named('a/..'),
  'zip_path_invalid--parent-folder': withEntry({ name: '../' }),
  'zip_path_invalid--dot': named('./a.txt'),
  'zip_path_invalid--dot-inside': named('a/./b.txt'),
  'zip_path_invalid--full-width-dots': named('．．/a.txt'),
  'zip_path_invalid--two-dot-leader': named('‥/a.txt'),
  'zip_path_invalid--absolute': named('/etc/passwd'),
  'zip_path_invalid--only-slash': withEntry({ name: '/' }),
  'zip_path_invalid--double-slash': named('a//b.txt'),
  'zip_path_invalid--unc-slashes': named('//server/share/a.txt'),
  'zip_path_invalid--unc': named('\\\\server\\share\\a.txt'),
  'zip_path_invalid--backslash': named('a\\b.txt'),
  'zip_path_invalid--backslash-parent': named('..\\a.txt'),
  'zip_path_invalid--drive': named('C:/a.txt'),
  'zip_path_invalid--drive-relative': named('c:a.txt'),
  'zip_path_invalid--stream': named('a.txt:stream'),
  'zip_path_invalid--stream-data': named('a.txt::$DATA'),
  'zip_path_invalid--empty': withEntry({ name: '', data: 'x' }),
  'zip_path_invalid--trailing-dot': named('a.txt.'),
  'zip_path_invalid--trailing-space': named('a.txt '),
  'zip_path_invalid--folder-trailing-dot': named('a./b.txt'),
  'zip_path_invalid--folder-trailing-space': named('a /b.txt'),
  'zip_path_invalid--three-dots': named('.../b.txt'),
  'zip_path_invalid--double-slash-at-end': withEntry({ name: 'a//' }),
  'zip_path_invalid--cp437': named(Buffer.from('caf\x82.txt', 'latin1')),
  'zip_path_invalid--marked-utf8-and-not': withEntry({
    name: Buffer.from([0x61, 0xff]),
    data: 'x',
    flags: 0x800,
  }),
  'zip_path_invalid--overlong-utf8': named(Buffer.from('2ec0ae2f61', 'hex')),
  'zip_path_invalid--surrogate-utf8': named(Buffer.from('61eda080', 'hex')),
  'zip_path_invalid--241-bytes': named('a/'.repeat(10) + 'b'.repeat(221)),
  'zip_path_invalid--241-bytes-in-wide-letters': named(`${'ü'.repeat(120)}b`),
  'zip_path_invalid--33-levels': named(`${'a/'.repeat(32)}b`),
  'zip_path_invalid--60000-bytes': named('b'.repeat(60_000)),
  'zip_path_collision--twice': withEntry({ name: 'index.html', data: 'other' }),
  'zip_path_collision--case': withEntry({ name: 'INDEX.html', data: 'x' }),
  'zip_path_collision--nfc-nfd': () => buildZip([INDEX, { name: 'é.txt' }, { name: 'é.txt' }]),
  'zip_path_collision--sharp-s': () => buildZip([INDEX, { name: 'straße' }, { name: 'STRASSE' }]),
  'zip_path_collision--capital-sharp-s': () =>
    buildZip([INDEX, { name: 'straße' }, { name: 'straẞe' }]),
  'zip_path_collision--kelvin': () => buildZip([INDEX, { name: 'k.txt' }, { name: '\u212a.txt' }]),
  'zip_path_collision--long-s': () => buildZip([INDEX, { name: 's.txt' }, { name: 'ſ.txt' }]),
  'zip_path_collision--dotted-capital-i': () =>
    buildZip([INDEX, { name: 'İ.txt' }, { name: 'i̇.txt' }]),
  'zip_path_collision--angstrom': () =>
    buildZip([INDEX, { name: 'å.txt' }, { name: '\u212b.txt' }]),
  'zip_path_collision--final-sigma': () => buildZip([INDEX, { name: 'ς' }, { name: 'Σ' }]),
  'zip_path_collision--ligature': () => buildZip([INDEX, { name: 'ﬃ' }, { name: 'FFI' }]),
  'zip_path_collision--full-width-case': () => buildZip([INDEX, { name: 'Ａ' }, { name: 'ａ' }]),
  'zip_path_collision--file-and-folder': () => buildZip([INDEX, { name: 'a' }, { name: 'a/b' }]),
  'zip_path_collision--folder-and-file': () => buildZip([INDEX, { name: 'a/b' }, { name: 'a' }]),
  'zip_path_collision--file-and-empty-folder': () =>
    buildZip([INDEX, { name: 'a' }, { name: 'a/' }]),
  'zip_path_collision--file-and-folder-by-case': () =>
    buildZip([INDEX, { name: 'A' }, { name: 'a/b' }]),
  'zip_path_collision--folders-by-case': () =>
    buildZip([INDEX, { name: 'Assets/a' }, { name: 'assets/b' }]),
  'zip_path_collision--folder-twice-behind-its-file': () =>
    buildZip([INDEX, { name: 'a/b' }, { name: 'a/' }, { name: 'a/' }]),
  'zip_path_collision--folder-twice': () => buildZip([INDEX, { name: 'a/' }, { name: 'a/' }]),
  'zip_missing_index--empty-archive': () => buildZip([]),
  'zip_missing_index--none': () => buildZip([TEXT]),
  'zip_missing_index--capital': () => buildZip([{ ...INDEX, name: 'Index.html' }]),
  'zip_missing_index--htm': () => buildZip([{ ...INDEX, name: 'index.htm' }]),
  'zip_missing_index--two-folders-deep': () => buildZip([{ ...INDEX, name: 'a/b/index.html' }]),
  'zip_missing_index--beside-the-folder': () =>
    buildZip([{ ...INDEX, name: 'game/index.html' }, TEXT]),
  'zip_missing_index--two-top-folders': () =>
    buildZip([
      { ...INDEX, name: 'a/index.html' },
      { ...INDEX, name: 'b/index.html' },
    ]),
  'zip_missing_index--index-is-a-folder': () =>
    buildZip([{ name: 'index.html/' }, { name: 'index.html/a' }]),
  'zip_missing_index--only-in-dropped': () => buildZip([{ ...INDEX, name: '__MACOSX/index.html' }]),
};
