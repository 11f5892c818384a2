// Finds the original source of a function of a script by the script's map.

import {
  decodedMappings,
  type SourceMapSegment,
  type TraceMap,
  traceSegment,
} from '@jridgewell/trace-mapping';
import type { OriginalFunction, TracedFunction } from '@svc/trace';
import { NAME_LENGTH } from '../limits.ts';
import { cleanSource } from './clean-source.ts';
import { readFunctionName } from './read-function-name.ts';
import { TextLines } from './text-lines.ts';

/** V8's name of a function that has none. */
const ANONYMOUS = '(anonymous)';
/** Words that some bundlers write as the name of a function. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'async',
  'function',
  'class',
  'get',
  'set',
  'static',
]);

/**
 * The map of one script. V8 reports the position of a function as that of its parameters: `(`, or the first parameter of
 * an arrow function. The segment of a map that covers this position begins there, at the function's name, or at its keyword.
 */
export class ScriptMap {
  readonly #map: TraceMap;
  readonly #code: TextLines | null;
  /** By the index of the source. */
  readonly #sources = new Map<number, TextLines | null>();

  /** `code` is the text of the script, or null if only the map is known. */
  constructor(map: TraceMap, code: string | null) {
    this.#map = map;
    this.#code = code === null ? null : new TextLines(code);
  }

  /** Undefined if the map has no source for the position, or does not fit the script. */
  find({ own, line, column }: TracedFunction): OriginalFunction | undefined {
    const segment = traceSegment(this.#map, line - 1, column - 1);
    if (segment === null || segment.length === 1) return undefined;
    const [start, index, sourceLine, sourceColumn] = segment;
    const source = this.#map.sources[index];
    if (source == null || sourceLine < 0 || sourceColumn < 0) return undefined;
    const between = this.#between(line - 1, start, column - 1);
    if (between === null) return undefined;
    const isOnly = this.#isOnlySegment(line - 1);
    // Code between the segment and the function: the function itself is not in the map.
    if (!isOnly && /[;{}]/.test(between)) return undefined;
    const known = own.startsWith('<') ? own : this.#readName(index, sourceLine, sourceColumn);
    const name = known ?? this.#mappedName(segment, own, between, line - 1, column - 1) ?? own;
    return {
      name: name.slice(0, NAME_LENGTH),
      source: {
        path: cleanSource(source, this.#map.sourceRoot),
        line: sourceLine + 1,
        column: sourceColumn + 1,
      },
    };
  }

  /** The script's text from the segment to the function. Null if the script has no such position; empty without a script. */
  #between(line: number, from: number, to: number): string | null {
    if (this.#code === null) return '';
    const start = this.#code.offset(line, from);
    const end = this.#code.offset(line, to);
    return start < 0 || end < 0 ? null : this.#code.text.slice(start, end);
  }

  /** Whether the map has only lines: then the first segment covers everything on the line. */
  #isOnlySegment(line: number): boolean {
    return decodedMappings(this.#map)[line]?.length === 1;
  }

  #readName(index: number, line: number, column: number): string | null {
    let content = this.#sources.get(index);
    if (content === undefined) {
      const text = this.#map.sourcesContent?.[index];
      content = text == null ? null : new TextLines(text);
      this.#sources.set(index, content);
    }
    const at = content?.offset(line, column) ?? -1;
    return content === null || at < 0 ? null : readFunctionName(content.text, at);
  }

  /** The map's own name at the position, if it is the function's. At a parameter without parentheses it is the parameter's. */
  #mappedName(
    segment: Readonly<SourceMapSegment>,
    own: string,
    between: string,
    line: number,
    column: number,
  ): string | null {
    const name = segment.length === 5 ? this.#map.names[segment[4]] : undefined;
    if (name === undefined || own === ANONYMOUS || KEYWORDS.has(name)) return null;
    if (segment[0] === column) return this.#isParenthesis(line, column) ? name : null;
    return /^[*\s]*[#$\w\u0080-\uffff]*\s*[=:]?\s*$/.test(between) ? name : null;
  }

  #isParenthesis(line: number, column: number): boolean {
    const at = this.#code?.offset(line, column) ?? -1;
    return at >= 0 && this.#code?.text[at] === '(';
  }
}
