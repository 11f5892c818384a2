// The quotas of a user: their own, or the limits of the server.
import type { PlatformLimits } from '@svc/contracts/platform';
import type { UsersTable } from '../database/schema.ts';

/** How many projects a user may have, and how many bytes each may use. */
type Quota = { readonly projects: number; readonly project_bytes: number };

export function quotaOf(
  limits: PlatformLimits,
  user: Pick<UsersTable, 'quota_projects' | 'quota_project_bytes'>,
): Quota {
  return {
    projects: user.quota_projects ?? limits.projects_per_developer,
    project_bytes: user.quota_project_bytes ?? limits.project_bytes,
  };
}
