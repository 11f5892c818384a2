// `svc releases`: lists the releases of a game, newest first.
import type { Release } from '@svc/contracts/platform';
import { bytesText } from '@svc/trace/number-text';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatTable } from '../../output/table.ts';
import { safeLine } from '../../output/text.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { PROJECT_OPTION, projectIdOf } from './project-option.ts';

export const releasesCommand = defineCommand({
  name: 'releases',
  summary: 'List the releases of the game in this folder',
  options: [API_OPTION, PROJECT_OPTION],
  document: 'releases',
  async run(call) {
    const id = projectIdOf(call);
    await withPlatform(call, async ({ platform }) => {
      const releases: Release[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { limit: '100', ...(cursor === undefined ? {} : { cursor }) };
        const page = await platform.call('releases', { params: { id }, query });
        releases.push(...page.releases);
        cursor = page.next_cursor;
      }
      const { game } = await platform.call('project', { params: { id } });
      const live = game.status === 'published' ? 'live' : 'last live';
      call.output.result({ releases }, () =>
        releases.length === 0
          ? 'There are no releases yet. Run svc publish.'
          : [...table(releases, live), ...releases.flatMap(takenDownLines)],
      );
    });
  },
});

function stateOf({ live, staged, playable, taken_down }: Release, label: string): string {
  if (taken_down != null) return 'taken down';
  if (live) return label;
  if (staged === true) return 'staged';
  return playable === true ? 'offered' : '';
}

/** Why the operator has taken the release down. */
function takenDownLines({ version, taken_down }: Release): string[] {
  if (taken_down == null) return [];
  const why = taken_down.reason === null ? 'No reason was given.' : `Reason: ${taken_down.reason}`;
  return ['', safeLine(`The operator of the platform has taken version ${version} down. ${why}`)];
}

/** The commit that a CI has published with its own identity, such as `acme/moonhop@1f2e3d4`. */
function originOf({ provenance }: Release): string {
  if (!provenance) return '';
  const { repository, commit, subject } = provenance;
  const name = repository ?? subject;
  return commit === null ? name : `${name}@${commit.slice(0, 7)}`;
}

/** `live` is the label of the current release: an unpublished game is not live. */
function table(releases: readonly Release[], live: string): string[] {
  const hasOrigin = releases.some((release) => originOf(release) !== '');
  return formatTable(
    [
      { title: 'VERSION' },
      { title: 'PUBLISHED' },
      { title: 'STATE' },
      { title: 'FILES', align: 'right' },
      { title: 'ZIP', align: 'right' },
      ...(hasOrigin ? [{ title: 'BUILT FROM', max: 40 }] : []),
      { title: 'NOTES', max: 50 },
    ],
    releases.map((release) => [
      release.version,
      release.created_at.slice(0, 16).replace('T', ' '),
      stateOf(release, live),
      String(release.file_count),
      bytesText(release.zip_bytes),
      ...(hasOrigin ? [originOf(release)] : []),
      release.notes ?? '',
    ]),
  );
}
