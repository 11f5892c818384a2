// Removes a project, so that it cannot be restored.
import type { PlatformClient } from '@svc/contracts/platform';

/** Deletes the project and removes it with all of its files. */
export async function removeProject(client: PlatformClient, id: string): Promise<void> {
  await client.call('deleteProject', { params: { id } });
  await client.call('removeDeletedGame', { params: { id } });
}
