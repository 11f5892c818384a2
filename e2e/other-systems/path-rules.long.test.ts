// More commands and the viewer's API pass their own tests with the path rules of Windows.
import { test } from 'node:test';
import { type PortableFile, testOnWindows } from './test-on-windows.ts';

const FILES: readonly PortableFile[] = [
  { file: 'packages/game-build/test/archive.test.ts' },
  { file: 'packages/game-build/test/extract.test.ts' },
  {
    file: 'packages/game-build/test/pack-files.test.ts',
    except: {
      'packToFile rejects a file that became a socket': 'Sockets of Windows are not files.',
    },
  },
  { file: 'packages/cli/test/blame.test.ts' },
  {
    file: 'packages/cli/test/play.test.ts',
    except: {
      'svc play explains a full disk': 'It mounts a disk.',
      'svc play opens the browser on a terminal': 'It runs a shell of this system.',
    },
  },
  { file: 'packages/cli/test/projects.test.ts' },
  { file: 'packages/cli/test/publish-faults.test.ts' },
  { file: 'packages/cli/test/publish-leftovers.test.ts' },
  { file: 'packages/cli/test/put-back.test.ts' },
  { file: 'packages/cli/test/staging.test.ts' },
  { file: 'packages/cli/test/token.test.ts' },
  { file: 'packages/cli/test/trace.test.ts' },
  { file: 'packages/cli/test/trace-diff.test.ts' },
  { file: 'packages/cli/test/trace-info.test.ts' },
  { file: 'packages/cli/test/trace-leaks.test.ts' },
  {
    file: 'packages/cli/test/trace-note.test.ts',
    except: { '-o writes a copy': 'It joins paths with a slash.' },
  },
  { file: 'packages/cli/test/trace-note-faults.test.ts' },
  { file: 'packages/cli/test/trace-note-views.test.ts' },
  { file: 'packages/cli/test/trace-profiles.test.ts' },
  {
    file: 'packages/cli/test/trace-report.test.ts',
    except: {
      'svc trace report refuses a page over its trace': 'It expects a path of this system.',
    },
  },
  { file: 'packages/cli/test/trace-symbolicate.test.ts' },
  { file: 'packages/agent/test/import-profiles.test.ts' },
  { file: 'packages/agent/test/notes.test.ts' },
  { file: 'packages/agent/test/start.test.ts' },
  {
    file: 'packages/agent/test/storage.test.ts',
    except: {
      'a recording whose folder is deleted':
        'The stand-in for PowerShell has another name for the process.',
      'a full disk ends the recording': 'It mounts a disk.',
    },
  },
  { file: 'packages/agent/test/trace.test.ts' },
];

for (const portable of FILES) {
  test(`on Windows: ${portable.file}`, (t) => testOnWindows(t, portable));
}
