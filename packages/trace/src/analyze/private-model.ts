// The model without private data in its names. The summary for a model provider is built from it.
import { replaceControls } from '../format/control-characters.ts';
import type { TraceModel } from '../model/trace-model.ts';
import { FrameNames } from '../stacks/frame-table.ts';
import { cleanName } from '../vpt/clean-name.ts';

/** Longest name in a summary, in UTF-16 units. */
const NAME_LENGTH = 160;

/** Separators of a path, also as JSON escapes them. */
const SLASHES = String.raw`[\\/]+`;
/** A folder name in a path. A user name may contain blanks. */
const FOLDER = String.raw`[^\\/"'()<>,;:|\x60]+`;

/** Replacements before a name is cleaned: encoded characters, and patterns that identify the user or the machine. */
const PERSONAL: readonly (readonly [RegExp, string])[] = [
  [/%2f/gi, '/'],
  [/%5c/gi, '\\'],
  [/%3a/gi, ':'],
  [/%3f/gi, '?'],
  // JSON may escape a slash.
  [/\\\//g, '/'],
  [/\b(data:[\w.+-]*\/[\w.+-]*)[;,][\s\S]*$/i, '$1'],
  [/\b(https?|wss?|ftp):[\\/]+/gi, '$1://'],
  [
    new RegExp(`(?<![\\p{L}\\p{N}_.)\\]-])${SLASHES}(?:home|users)${SLASHES}${FOLDER}`, 'giu'),
    '/…',
  ],
  [/(?<![\w.+/-])[\w.+-]{1,64}@[\w.-]{1,64}(?=:(?:~|\/(?!\/)))/g, '(address)'],
  [/(?<![\w./\\])~[a-z_][\w.-]{0,63}(?=[\\/])/gi, '~'],
];

/** Absolute paths after characters that usually do not precede a path. */
const ODD_PATH = /(?<![\p{L}\p{N}_.)\]/\\~])\/[^\s/"'()<>]+\/[^\s"'()<>`]*/gu;

/**
 * Returns a name without absolute paths, host and user names, environment, command lines and URL queries. A URL keeps only its
 * path, `process 12:"python a.py --key x"` (py-spy) its number, `NAME=value` its name. An address like `user@host` is masked. The
 * result has at most `length` UTF-16 units and an ellipsis.
 */
export function privateName(name: string, length: number = NAME_LENGTH): string {
  const impersonal = PERSONAL.reduce(
    (text, [pattern, instead]) => text.replace(pattern, instead),
    name.slice(0, 4 * length),
  );
  const clean = cleanName(impersonal)
    .replace(/\b[a-z][a-z\d+.-]{0,30}:\/\/[^/\s"'()<>]*\/?/gi, '')
    .replace(ODD_PATH, (path) => path.slice(path.lastIndexOf('/') + 1))
    .replace(/(?<=^|[\w/.-])\?[\w.%[\]-]{0,80}=[^\s"'()<>]*/g, '')
    .replace(/^(process \d+):.*$/, '$1')
    .replace(/\b([A-Z][A-Z\d_]{2,40})=\S+/g, '$1=…')
    .replace(/(?<![\w.+/-])[\w.+-]{1,64}@[a-z][\w-]{0,63}(?:\.[\w-]{1,64})+/gi, '(address)')
    .replace(/(^|\s)(--?[\w-]{1,40})(?:=|\s+|(?=[\\/]))\S+/g, '$1$2 …');
  const bare = replaceControls(clean, () => ' ');
  return bare.length <= length ? bare : `${bare.slice(0, length).toWellFormed()}…`;
}

/** `name` returns private names. `text` returns the original: use it only for matching, never for output. */
class PrivateFrameNames extends FrameNames {
  override name(id: number): string {
    return privateName(super.name(id));
  }
}

/**
 * The same trace with private names. Log texts, notes and the name of the target are removed, because they may contain anything. The digest
 * of the build is removed too. The parts are listed one by one, so that a new part of the model does not compile until it is added
 * here.
 */
export function privateModel(model: TraceModel): TraceModel {
  const { target: _target, build: _build, machine: _machine, gpu, ...header } = model.header;
  return {
    header: { ...header, ...(gpu && { gpu: { ...gpu, name: privateName(gpu.name) } }) },
    process: model.process,
    frames: model.frames,
    counters: withPrivateNames(model.counters).map((counter) => ({
      ...counter,
      unit: privateName(counter.unit),
    })),
    stacks: model.stacks.map((stacks) => ({
      ...stacks,
      tree: {
        ...stacks.tree,
        unit: privateName(stacks.tree.unit),
        frames: new PrivateFrameNames(stacks.tree.frames.arena, stacks.tree.frames.ends),
      },
    })),
    longtasks: model.longtasks.map(({ scripts, ...task }) => ({
      ...task,
      ...(scripts !== undefined && { scripts: withPrivateNames(scripts) }),
    })),
    assets: withPrivateNames(model.assets),
    releases: model.releases,
    spans: withPrivateNames(model.spans),
    marks: withPrivateNames(model.marks),
    logs: [],
    notes: [],
    losses: model.losses.map((loss) => ({ ...loss, reason: privateName(loss.reason) })),
    end: model.end,
    unknown_records: model.unknown_records,
    duration_ms: model.duration_ms,
  };
}

function withPrivateNames<Item extends { readonly name: string }>(items: readonly Item[]): Item[] {
  return items.map((item) => ({ ...item, name: privateName(item.name) }));
}
