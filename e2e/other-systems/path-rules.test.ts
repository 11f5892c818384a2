// Publishing, traces and recordings pass their own tests with the path rules of Windows.
import { test } from 'node:test';
import { type PortableFile, testOnWindows } from './test-on-windows.ts';

const FILES: readonly PortableFile[] = [
  {
    file: 'packages/game-build/test/pack.test.ts',
    except: { 'planPack reports every name': 'It writes files whose names Windows cannot have.' },
  },
  { file: 'packages/game-build/test/read-files.test.ts' },
  { file: 'packages/cli/src/project/prepare-build.test.ts' },
  { file: 'packages/cli/src/project/project-file.test.ts' },
  { file: 'packages/cli/test/publish.test.ts' },
  { file: 'packages/cli/test/trace-answers.test.ts' },
  { file: 'packages/symbols/test/read-folder.test.ts' },
  {
    file: 'packages/agent/test/recording.test.ts',
    except: {
      'holdRecording: on a system whose addresses are files': 'It is about other systems.',
    },
  },
];

for (const portable of FILES) {
  test(`on Windows: ${portable.file}`, (t) => testOnWindows(t, portable));
}
