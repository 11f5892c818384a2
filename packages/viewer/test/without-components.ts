// Lets Node load modules that import components, which it cannot parse: each export of a component module becomes a
// function that records its calls. Import it before them.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const EXPORTS = /^export (?:async )?(?:function|const) (\w+)/gm;

/** The recorded calls, in order. */
export const calls: { readonly name: string; readonly args: readonly unknown[] }[] = [];
Object.assign(globalThis, {
  noteCall: (name: string, args: unknown[]) => calls.push({ name, args }),
});

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.tsx')) return next(url, context);
    const names = [...readFileSync(new URL(url), 'utf8').matchAll(EXPORTS)].map(([, name]) => name);
    const source = names
      .map((name) => `export const ${name} = (...args) => void noteCall('${name}', args);`)
      .join('\n');
    return { format: 'module', source, shortCircuit: true };
  },
});
