// The folders that are covered by mutation testing, and the tests that can notice a fault in each.

/** Sources with a common row in the table of scores. Globs are relative to the repository's root. */
export type Folder = {
  readonly name: string;
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  /** Set if recording the code that each test runs takes minutes, which is too long for a sample in the long lane. */
  readonly slow?: true;
};

const SLOW = new Set(['agent', 'platform']);

/** A folder below `packages/NAME/src`, judged by the short tests of its package. */
function inPackage(name: string, part: string): Folder {
  const path = part === '' ? `packages/${name}/src` : `packages/${name}/src/${part}`;
  return {
    name: path,
    sources: [path.endsWith('.ts') ? path : `${path}/**/*.ts`],
    tests: [`packages/${name}/{src,test}/**/*.test.ts`],
    ...(SLOW.has(name) && { slow: true }),
  };
}

export const FOLDERS: readonly Folder[] = [
  inPackage('trace', ''),
  inPackage('game-build', ''),
  inPackage('contracts', ''),
  inPackage('serve', ''),
  {
    name: 'packages/delivery/src',
    sources: ['packages/delivery/src/**/*.ts'],
    tests: [
      'packages/delivery/{src,test}/**/*.test.ts',
      // The answers of the platform, which are those of this package.
      'packages/platform/test/{play,play-files,preview,compressed}.test.ts',
    ],
  },
  inPackage('agent', 'access'),
  inPackage('agent', 'target'),
  inPackage('agent', 'session'),
  inPackage('agent', 'analysis'),
  inPackage('agent', 'providers'),
  inPackage('platform', 'http'),
  inPackage('platform', 'access'),
  inPackage('platform', 'handle-route.ts'),
  inPackage('platform', 'storage'),
  inPackage('platform', 'accounts'),
  inPackage('platform', 'tokens'),
  inPackage('platform', 'publishing'),
  inPackage('platform', 'play'),
  inPackage('platform', 'greet-requests.ts'),
  {
    name: 'packages/cli/src/platform',
    sources: ['packages/cli/src/platform/**/*.ts'],
    tests: [
      'packages/cli/{src,test}/**/*.test.ts',
      // The identities of CI, which need a platform.
      'e2e/cli/trust.test.ts',
    ],
  },
  inPackage('web', 'session'),
  inPackage('web', 'html'),
  inPackage('web', 'page'),
  inPackage('collector', 'hooks/patch.ts'),
  inPackage('collector', 'sink/sink.ts'),
];
