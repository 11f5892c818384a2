// Guesses the format of a file that is not folded stacks from its first bytes, for a helpful error message.
import { findInvalidUtf8 } from '../bytes/utf8.ts';

type Signature = { readonly name: string; readonly bytes: readonly number[] };

const ascii = (text: string): number[] => Array.from(text, (unit) => unit.charCodeAt(0));

const SIGNATURES: readonly Signature[] = [
  {
    name: 'a gzip file (perhaps pprof or a compressed profile): unpack it first',
    bytes: [0x1f, 0x8b],
  },
  { name: 'a Zstandard file: unpack it first', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: 'an xz file: unpack it first', bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
  { name: 'a bzip2 file: unpack it first', bytes: ascii('BZh91AY&SY') },
  { name: 'a ZIP archive: unpack it first', bytes: ascii('PK\u0003\u0004') },
  {
    name: 'raw perf.data: run "perf script" and a stack collapser first',
    bytes: ascii('PERFILE2'),
  },
  {
    name: 'a Java flight recording (JFR): convert it to collapsed stacks first',
    bytes: ascii('FLR\0'),
  },
  { name: 'an ELF program', bytes: [0x7f, 0x45, 0x4c, 0x46] },
  { name: 'an SQLite database', bytes: ascii('SQLite format 3') },
  { name: 'a PNG image', bytes: [0x89, 0x50, 0x4e, 0x47] },
  { name: 'a PDF document', bytes: ascii('%PDF-') },
];

/** The format if the first bytes identify it with certainty, or null. */
export function strongSignature(sample: Uint8Array): string | null {
  for (const { name, bytes } of SIGNATURES) {
    if (bytes.every((byte, i) => sample[i] === byte)) return name;
  }
  const text = new TextDecoder().decode(sample.subarray(0, 4096)).trimStart();
  if (/^\{\s*"vpt"\s*:/.test(text)) return 'a .vpt trace';
  if (JSON_START.test(text)) return jsonKind(sample);
  if (/^<(?:\?xml|!doctype|svg|html)\b/i.test(text)) return markupKind(text);
  return null;
}

/** An object with a key, a lone empty object, or an array of objects, arrays, strings or numbers. No frame starts like this. */
const JSON_START =
  /^(?:\{\s*(?:\}\s*$|"(?:[^"\\]|\\.)*"\s*:)|\[\s*(?:\{\s*["}]|\[\s*["\d[{\]-]|"(?:[^"\\;]|\\.)*"\s*[,\]]|-?\d+\s*,|\]\s*$))/;

function jsonKind(sample: Uint8Array): string {
  const text = new TextDecoder().decode(sample);
  if (/speedscope\.app|"\$schema"[^,]*speedscope/.test(text)) return 'JSON of speedscope';
  if (/"traceEvents"|"ph"\s*:\s*"/.test(text)) return 'JSON of Chrome trace events';
  if (/"nodes"\s*:.*"callFrame"|"callFrame"/s.test(text)) return 'JSON of a V8 CPU profile';
  if (/"geckoProfile|"stackTable"|"preprocessedProfileVersion"/.test(text))
    return 'JSON of the Firefox Profiler';
  return 'JSON';
}

function markupKind(text: string): string {
  if (/<svg\b|<!DOCTYPE svg/i.test(text))
    return 'an SVG image (a flame graph?): open the folded stacks that it was drawn from';
  return /<!doctype html|<html/i.test(text) ? 'an HTML page' : 'XML';
}

/** The name of another tool's report whose lines may look like stacks, or null. Not certain: the caller must also check the lines. */
export function reportSignature(sample: Uint8Array): string | null {
  const text = new TextDecoder().decode(sample);
  return REPORTS.find(({ pattern }) => pattern.test(text))?.name ?? null;
}

/** The best guess for a file without any stack. */
export function looksLike(sample: Uint8Array): string {
  if (sample.includes(0)) {
    return isWide(sample) ? 'UTF-16 without a byte-order mark: save it as UTF-8' : 'a binary file';
  }
  const text = new TextDecoder().decode(sample);
  if (text.trim() === '') return 'an empty file';
  const report = reportSignature(sample);
  if (report === null && findInvalidUtf8(sample, 'allow') >= 0) {
    return 'text in another encoding: save it as UTF-8';
  }
  return report ?? TEXT_KINDS.find(({ pattern }) => pattern.test(text))?.name ?? 'other text';
}

type TextKind = { readonly name: string; readonly pattern: RegExp };

const REPORTS: readonly TextKind[] = [
  {
    name: 'perf script output: collapse it first (stackcollapse-perf or inferno-collapse-perf)',
    pattern:
      /^\S.*\s\d+(?:\/\d+)?\s+(?:\[\d+\]\s+)?[\d.]+:\s.*:\s*$|^\s+[\da-f]{6,16} \S.* \(.*\)\s*$/m,
  },
  {
    name: 'callgrind output: open it in KCachegrind, or convert it first',
    pattern: /^(?:# callgrind format|creator:\s*callgrind|events:\s)/m,
  },
  { name: 'bpftrace output: collapse it first (stackcollapse-bpftrace)', pattern: /^@\w*\[\s*$/m },
  {
    name: 'DTrace output: collapse it first (stackcollapse)',
    pattern: /^\s+[\w.-]+`\S+\s*$/m,
  },
  { name: 'a gprof report', pattern: /^(?:Flat profile:|\s*%\s+cumulative\s+self)/m },
];

const TEXT_KINDS: readonly TextKind[] = [
  { name: 'JSON', pattern: /^\s*[{[][\s\S]*["\]}]/ },
  { name: 'XML or HTML', pattern: /^\s*<[a-z!?]/i },
  { name: 'folded stacks without counts', pattern: /^[^;\n]+(?:;[^;\n]+)+$/m },
  { name: 'a CSV table', pattern: /^[^,\n]+(?:,[^,\n]*){2,}$/m },
];

/** Whether about every second byte is zero, as in Latin text in UTF-16. */
function isWide(sample: Uint8Array): boolean {
  const zeros = sample.reduce((sum, byte) => sum + (byte === 0 ? 1 : 0), 0);
  return zeros * 5 > sample.length * 2 && zeros * 5 < sample.length * 3;
}
