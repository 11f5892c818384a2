// `svc offer`: lets players choose an old release on the page of the game.
import type { Release } from '@svc/contracts/platform';
import { defineCommand, type OptionSpec } from '../../command-line/define-command.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { requireFeature } from '../../platform/outdated.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { PROJECT_OPTION, projectIdOf } from './project-option.ts';

const OPTIONS = [
  API_OPTION,
  PROJECT_OPTION,
  { flags: '--end', help: 'stop offering the release' },
] as const satisfies readonly OptionSpec[];

export const offerCommand = defineCommand({
  name: 'offer',
  summary: 'Let players choose an old release',
  description:
    'The page of the game shows a button that plays this release. A rollback from the release stops offering it.',
  arguments: [{ name: '<VERSION>', help: 'the version, from svc releases' }],
  options: OPTIONS,
  document: 'offer',
  async run(call) {
    const id = projectIdOf(call);
    const [version = ''] = call.args;
    const playable = call.options.end !== true;
    await withPlatform(call, async ({ platform }) => {
      await requireFeature(platform, 'previews_per_project');
      const input = { params: { id, version }, body: { playable } };
      const { release } = await platform.call('editRelease', input, { repeat: 'safe' });
      call.output.result({ release }, () => [
        playable
          ? offeredLine(release)
          : `Players can no longer choose version ${version} on the page of the game.`,
        ...(playable && typeof release.play_url === 'string' ? [release.play_url] : []),
      ]);
    });
  },
});

function offeredLine({ version, live, play_url }: Release): string {
  // Every offered release of a published game has an address.
  if (typeof play_url !== 'string') {
    return `Players can choose version ${version} when the game is online again.`;
  }
  return live
    ? `Version ${version} is live. Players can still choose it after the next release.`
    : `Players can choose version ${version} on the page of the game.`;
}
