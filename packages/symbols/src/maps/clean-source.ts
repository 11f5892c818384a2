// Shows the path of a source in a map: without the parts that bundlers and machines add.
import { replaceControls } from '@svc/trace/control-characters';
import { cleanUrl } from '@svc/trace/write';

/**
 * The source as `src/game.ts`. `root` is the map's `sourceRoot`. The prefix of webpack and other bundlers, leading `../` and
 * queries are removed. An absolute path keeps only its last part, which is all that is not private; an `http` URL stays without
 * its query and user.
 */
export function cleanSource(source: string, root = ''): string {
  const isAbsolute = /^(?:[a-z][a-z\d+.-]*:|[\\/]|~)/i;
  const whole =
    root === '' || isAbsolute.test(root) || isAbsolute.test(source)
      ? source
      : `${root.replace(/\/+$/, '')}/${source}`;
  const bare = replaceControls(whole, () => '')
    .replace(/[?#].*$/s, '')
    // `webpack://NAME/./src/a.ts`, `rollup:///src/a.ts`. The name may be empty, or contain a scope.
    .replace(/^(?!https?:|file:|data:)[a-z][a-z\d+.-]+:\/\/(?:@[^/]*\/)?[^/]*\//i, '');
  const clean = /^(?:[a-z][a-z\d+.-]*:|[\\/]|~)/i.test(bare)
    ? cleanUrl(bare)
    : normalized(bare.replaceAll('\\', '/'));
  return clean === '' ? '(unknown)' : clean.toWellFormed();
}

/** The start of an absolute path: a bundle outside of the project's folder has sources such as `../../home/jane/game/src/a.ts`. */
const FROM_ROOT =
  /^(?:\.\.\/)+(?:[a-z]:|home|users|root|tmp|var|opt|usr|mnt|media|srv|private|volumes|workspace|builds?)\//i;

/** The relative path without `.` and `..`. Only its last part if it leads to the root of the machine's files. */
function normalized(path: string): string {
  if (FROM_ROOT.test(path)) return path.split('/').findLast((part) => part !== '') ?? '';
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
