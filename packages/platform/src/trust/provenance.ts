// Where a release was built, in the database.
import type { Provenance } from '@svc/contracts/platform';
import type { CiIdentity } from './read-identity.ts';

/** `is_public` means that everybody can see the repository. */
type StoredProvenance = Provenance & { readonly is_public: boolean };

/** Returns the provenance of a release that this identity publishes, as JSON. */
export function formatProvenance(identity: CiIdentity): string {
  const { issuer, subject, repository, ref, commit, commit_url, run_url, isPublic } = identity;
  const stored: StoredProvenance = {
    ...{ issuer, subject, repository, ref, commit, commit_url, run_url },
    is_public: isPublic,
  };
  return JSON.stringify(stored);
}

/** Returns the record. Only the owner sees the name of a private repository. */
export function readProvenance(json: string | null, viewer: 'owner' | 'public'): Provenance | null {
  if (json === null) return null;
  const { is_public, ...provenance }: StoredProvenance = JSON.parse(json);
  return is_public || viewer === 'owner' ? provenance : null;
}
