// Paths of a Windows that has this machine's files on drive C:.

/** The path on this machine for a path that a program on Windows uses. */
export function toHostPath(path: string): string {
  const below = path.replace(/^(?:\\\\\?\\)?C:(?=[\\/]|$)/i, '').replaceAll('\\', '/');
  return below === '' && path !== '' ? '/' : below;
}

/** The path on Windows for a path of this machine. A relative path only gets other separators. */
export function toWindowsPath(path: string): string {
  return `${path.startsWith('/') ? 'C:' : ''}${path.replaceAll('/', '\\')}`;
}

const DEVICE = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)/i;

/** Whether Windows can have a file of this path. Source: Naming Files, Paths, and Namespaces, learn.microsoft.com. */
export function isPossible(path: string): boolean {
  return toHostPath(path)
    .split('/')
    .every((name) => {
      const isPlain = [...name].every((letter) => letter >= ' ' && !'<>:"|?*'.includes(letter));
      return isPlain && !DEVICE.test(name) && !/[^.][. ]+$/.test(name);
    });
}
