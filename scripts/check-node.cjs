// Runs after every install, on whichever Node npm found: says at once when npm scripts would not run on the Node that this repository pins.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 16)) {
  console.error(
    [
      `This repository runs on Node 24.16 or newer, but npm scripts here would run ${process.version} (${process.execPath}).`,
      'The pinned Node comes with the optional dependencies: install without --omit=optional, on Linux, macOS or Windows (x64, or arm64 on Linux and macOS).',
      'On any other system put a Node 24 first in PATH and install again.',
    ].join('\n'),
  );
  process.exitCode = 1;
}
