// Runs inside the single executable of svc, in the main thread and in each worker. It makes the modules in the executable importable,
// at addresses below the executable's own file, where no file can be.
export function start(entry) {
  // Without a listener SIGUSR1 would open Node's inspector, to which any program on this machine can connect.
  process.on('SIGUSR1', () => {});
  const { registerHooks } = process.getBuiltinModule('node:module');
  const { getAsset } = process.getBuiltinModule('node:sea');
  const { pathToFileURL } = process.getBuiltinModule('node:url');
  const inside = `${pathToFileURL(process.execPath).href}/`;
  registerHooks({
    resolve(specifier, context, next) {
      const isInside = context.parentURL?.startsWith(inside) && specifier.startsWith('.');
      const url = isInside ? new URL(specifier, context.parentURL).href : specifier;
      if (!url.startsWith(inside)) return next(specifier, context);
      return { url, format: 'module', shortCircuit: true };
    },
    load(url, context, next) {
      if (!url.startsWith(inside)) return next(url, context);
      const source = getAsset(url.slice(inside.length), 'utf8');
      return { format: 'module', source, shortCircuit: true };
    },
  });
  return import(inside + entry);
}
