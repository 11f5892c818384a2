// What sends a build: to which project, and what is shown meanwhile.
import type { Progress } from '../../output/progress.ts';
import type { Session } from '../../platform/with-platform.ts';
import type { PreparedBuild } from '../../project/prepare-build.ts';
import type { FolderBuild } from '../../project/read-folder-build.ts';
import type { Staging } from './staging.ts';
import type { UploadFields } from './upload.ts';

export type SendOptions = {
  readonly session: Session;
  readonly id: string;
  readonly build: PreparedBuild | FolderBuild;
  readonly fields: UploadFields;
  /** Null for a release that goes live. */
  readonly staging: Staging | null;
  readonly note: (text: string) => void;
  readonly progress: (totalBytes: number) => Progress;
};
