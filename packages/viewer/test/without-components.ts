// Lets Node load modules that import components, which it can not read: each export of a component's module is a function
// that notes that it was called. Import it before them.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const EXPORTS = /^export (?:async )?(?:function|const) (\w+)/gm;

/** The calls of the components' own functions, in order. */
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
