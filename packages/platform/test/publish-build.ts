// Publishes a build as a client would.
import type { PlatformClient, PublishAnswer } from '@svc/contracts/platform';
import { type Files, makeZip } from './make-zip.ts';

/** The form of a publish. */
export function publishForm(version: string, build: Files | Buffer, notes?: string): FormData {
  const form = new FormData();
  form.set('version', version);
  if (notes !== undefined) form.set('notes', notes);
  const bytes = Buffer.isBuffer(build) ? build : makeZip(build);
  form.set('build', new Blob([new Uint8Array(bytes)]), 'build.zip');
  return form;
}

/** Publishes files as a version of the project. */
export function publishBuild(
  client: PlatformClient,
  id: string,
  version: string,
  build: Files | Buffer,
  notes?: string,
): Promise<PublishAnswer> {
  return client.call('publish', { params: { id }, form: publishForm(version, build, notes) });
}
