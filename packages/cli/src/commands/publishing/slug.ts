// `svc slug`: moves the page of a game to another address.
import { defineCommand } from '../../command-line/define-command.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { asOwner, SIGN_IN_NOTE, SIGN_IN_OPTIONS } from '../../platform/as-owner.ts';
import { requireFeature } from '../../platform/outdated.ts';
import { readProjectFile, writeProjectFile } from '../../project/project-file.ts';
import { PROJECT_OPTION, projectIdOf } from './project-option.ts';

export const slugCommand = defineCommand({
  name: 'slug',
  summary: 'Change the address of the game’s page',
  description: `Links to the old address lead to the new one, and players keep their saves: the game is played where it was. ${SIGN_IN_NOTE}`,
  arguments: [
    { name: '<SLUG>', help: 'the end of the new address: lower-case letters, digits, hyphens' },
  ],
  options: [API_OPTION, PROJECT_OPTION, ...SIGN_IN_OPTIONS],
  document: 'slug',
  async run(call) {
    const id = projectIdOf(call);
    const [slug = ''] = call.args;
    await asOwner(call, async (owner) => {
      await requireFeature(owner, 'former_slugs_per_project');
      const { game } = await owner.call(
        'changeSlug',
        { params: { id }, body: { slug } },
        { repeat: 'safe' },
      );
      const project = readProjectFile(call.io.cwd);
      const isHere = project?.id === id && project.slug !== undefined;
      if (isHere) writeProjectFile(call.io.cwd, { ...project, slug: game.slug });
      call.output.result({ game }, () => [
        `${game.title}: the page is at /games/${game.slug} now.`,
      ]);
      if (isHere) call.output.note('Changed the slug in svc.json.');
    });
  },
});
