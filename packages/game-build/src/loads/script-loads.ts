// Finds the files that a script loads by its own syntax: imports, workers beside a module, and scripts of a worker. An address that
// is computed is not found. A plain string is at most a `link`.
import { type Load, type LoadKind, MAX_LOADS } from './load.ts';
import { readTokens, type ScriptToken } from './script-tokens.ts';

/** A string that may be the address of another text of the game. */
const TEXT_ADDRESS = /^[^\s"'<>{}|\\^`]{1,200}\.(?:m?js|html?|css)$/;

/** `new Worker(new URL("w.js", import.meta.url)` after `Worker`, also with the `"" +` that bundlers write. */
const WORKER_URL = [
  '( new URL ( $ , import . meta . url',
  '( new URL ( $ + new URL ( $ , import . meta . url',
  '( $ + new URL ( $ , import . meta . url',
].map((row) => row.split(' '));

/** The loads of a script. `offset` is added to each position. */
export function scriptLoads(script: string, offset = 0): Load[] {
  const loads: Load[] = [];
  const add = (kind: LoadKind, { text, at }: ScriptToken, by: Load['by']): void => {
    const target = text.includes('\\') ? '' : text;
    if (target !== '') loads.push({ kind, targets: [target], at: offset + at, ...(by && { by }) });
  };
  const imports = new ImportReader();
  const workers = new SequenceReader();
  const scripts = new ArgumentReader();
  let before: ScriptToken | null = null;
  for (const token of readTokens(script)) {
    if (loads.length >= MAX_LOADS) break;
    const isMember = before?.type === 'mark' && before.text === '.';
    const imported = imports.push(token, isMember);
    if (imported !== null) add(imported.kind, imported.token, 'specifier');
    const worker = workers.push(token, before);
    if (worker !== null) add('resource', worker, undefined);
    for (const one of scripts.push(token, before)) add('script', one, 'worker');
    if (isText(token) && TEXT_ADDRESS.test(token.text)) add('link', token, 'string');
    before = token;
  }
  return loads;
}

function isText({ type }: ScriptToken): boolean {
  return type === 'string' || type === 'template';
}

type ImportState = 'none' | 'import' | 'export' | 'clause' | 'from' | 'call' | 'argument';

/** Recognizes `import "x"`, `import … from "x"`, `export … from "x"` and `import("x")`. */
class ImportReader {
  #state: ImportState = 'none';
  #argument: ScriptToken | null = null;

  push(
    token: ScriptToken,
    isMember: boolean,
  ): { readonly kind: LoadKind; readonly token: ScriptToken } | null {
    const state = this.#state;
    this.#state = this.#next(token, isMember);
    if (token.type === 'string' && (state === 'import' || state === 'from')) {
      return { kind: 'script', token };
    }
    const isDone = state === 'argument' && (token.text === ')' || token.text === ',');
    if (isDone && token.type === 'mark' && this.#argument !== null) {
      return { kind: 'resource', token: this.#argument };
    }
    return null;
  }

  #next(token: ScriptToken, isMember: boolean): ImportState {
    const { type, text } = token;
    if (type === 'word' && !isMember && (text === 'import' || text === 'export')) return text;
    switch (this.#state) {
      case 'import':
        if (type === 'word' || text === '{' || text === '*') return 'clause';
        return type === 'mark' && text === '(' ? 'call' : 'none';
      case 'export':
        return type === 'mark' && (text === '{' || text === '*') ? 'clause' : 'none';
      case 'clause':
      case 'from':
        if (type === 'word') return text === 'from' ? 'from' : 'clause';
        if (type === 'string') return this.#state === 'from' ? 'none' : 'clause';
        return type === 'mark' && /[{},*]/.test(text) ? 'clause' : 'none';
      case 'call':
        this.#argument = isText(token) ? token : null;
        return this.#argument === null ? 'none' : 'argument';
      default:
        return 'none';
    }
  }
}

/** Recognizes the address of a worker that is relative to the module. */
class SequenceReader {
  #seen: ScriptToken[] | null = null;

  push(token: ScriptToken, before: ScriptToken | null): ScriptToken | null {
    if (token.type === 'word' && /^(?:Shared)?Worker$/.test(token.text)) {
      this.#seen = before?.type === 'word' && before.text === 'new' ? [] : null;
      return null;
    }
    if (this.#seen === null) return null;
    this.#seen.push(token);
    const seen = this.#seen.map((one) => (isText(one) ? '$' : one.text));
    const fitting = WORKER_URL.filter((row) => seen.every((text, i) => text === row[i]));
    if (fitting.some((row) => row.length === seen.length)) {
      const address = this.#seen.findLast(isText) ?? null;
      this.#seen = null;
      return address;
    }
    if (fitting.length === 0) this.#seen = null;
    return null;
  }
}

/** Recognizes the arguments of `importScripts`, if all are strings. */
class ArgumentReader {
  #seen: ScriptToken[] | null = null;

  push(token: ScriptToken, before: ScriptToken | null): readonly ScriptToken[] {
    if (token.type === 'word' && token.text === 'importScripts') {
      this.#seen = before?.text === 'function' ? null : [];
      return [];
    }
    if (this.#seen === null) return [];
    const last = this.#seen.at(-1);
    const afterText = last !== undefined && isText(last);
    const mark = token.type === 'mark' ? token.text : '';
    if (afterText && mark === ')') {
      const found = this.#seen.filter(isText);
      this.#seen = null;
      return found;
    }
    const isNext = last === undefined ? mark === '(' : afterText ? mark === ',' : isText(token);
    if (isNext && this.#seen.length < MAX_ARGUMENTS) this.#seen.push(token);
    else this.#seen = null;
    return [];
  }
}

const MAX_ARGUMENTS = 200;
