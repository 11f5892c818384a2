// Parses a source map (ECMA-426) and checks what the library does not check.

import { AnyMap, type SourceMapInput, type TraceMap } from '@jridgewell/trace-mapping';
import { MAP_SEGMENTS, SECTION_LEVELS, SECTION_LINE } from '../limits.ts';
import { SymbolFault } from '../symbol-fault.ts';

/** Parses the text of a map. Throws a {@link SymbolFault} if it is not a map of version 3 within the limits. */
export function parseMap(text: string): TraceMap {
  const value = parseJson(text);
  checkMap(value, 0, 0, { segments: 0 });
  try {
    // The check above has shown that it is a map.
    return AnyMap(value as SourceMapInput);
  } catch (error) {
    throw new SymbolFault('it is not a valid source map', { cause: error });
  }
}

function parseJson(text: string): unknown {
  try {
    // Some servers put this line before JSON, so that a script element can't load it.
    return JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, ''));
  } catch (error) {
    throw new SymbolFault('it is not valid JSON', { cause: error });
  }
}

type Counted = { segments: number };
type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `line` is the first line of the section that has the map. */
function checkMap(map: unknown, level: number, line: number, counted: Counted): void {
  if (!isFields(map)) throw new SymbolFault('it is not a source map');
  const { version, sections, mappings, sources, names, sourcesContent, sourceRoot } = map;
  if (version !== 3) {
    const shown = typeof version === 'number' ? `version ${version}` : 'no version';
    throw new SymbolFault(`it has ${shown}; only version 3 can be read`);
  }
  if (sections !== undefined) {
    checkSections(sections, level, line, counted);
    return;
  }
  if (typeof mappings !== 'string' || !/^[A-Za-z\d+/,;]*$/.test(mappings)) {
    throw new SymbolFault('its mappings are damaged');
  }
  countSegments(mappings, counted);
  const isText = (one: unknown): boolean => typeof one === 'string';
  const isTextOrNull = (one: unknown): boolean => one === null || isText(one);
  const isFit =
    Array.isArray(sources) &&
    sources.every(isTextOrNull) &&
    (names === undefined || (Array.isArray(names) && names.every(isText))) &&
    (sourcesContent == null ||
      (Array.isArray(sourcesContent) && sourcesContent.every(isTextOrNull))) &&
    (sourceRoot == null || isText(sourceRoot));
  if (!isFit) throw new SymbolFault('its sources or names are damaged');
}

function checkSections(sections: unknown, level: number, first: number, counted: Counted): void {
  if (!Array.isArray(sections)) throw new SymbolFault('its sections are damaged');
  if (level >= SECTION_LEVELS) {
    throw new SymbolFault(`its sections are nested more than ${SECTION_LEVELS} levels deep`);
  }
  for (const section of sections) {
    const { offset, map } = isFields(section) ? section : {};
    const { line, column } = isFields(offset) ? offset : {};
    if (!isPosition(line, SECTION_LINE - first) || !isPosition(column, Number.MAX_SAFE_INTEGER)) {
      throw new SymbolFault('a section has no valid offset');
    }
    // Only a map of the section itself is read. Its `url` would lead to another file.
    if (map === undefined) throw new SymbolFault('a section has no map');
    checkMap(map, level + 1, first + line, counted);
  }
}

function isPosition(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}

function countSegments(mappings: string, counted: Counted): void {
  for (let i = 0; i < mappings.length; i++) {
    const code = mappings.charCodeAt(i);
    if (code === 44 || code === 59) counted.segments++;
  }
  if (counted.segments > MAP_SEGMENTS) {
    throw new SymbolFault(`it has more than ${MAP_SEGMENTS} mappings`);
  }
}
