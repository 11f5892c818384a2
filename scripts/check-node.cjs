// Runs after every install with npm's Node: reports if npm scripts would not run with the pinned Node.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 16)) {
  console.error(
    [
      `This repository requires Node 24.16 or newer, but npm scripts would run ${process.version} (${process.execPath}).`,
      'The pinned Node is an optional dependency. Install without --omit=optional on Linux, macOS or Windows (x64, or arm64 on Linux and macOS).',
      'On other systems, put Node 24 first in PATH and install again.',
    ].join('\n'),
  );
  process.exitCode = 1;
}
