// `svc trust remove`: trusts CI runs no longer.
import { defineCommand } from '../../command-line/define-command.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { asOwner, SIGN_IN_NOTE, SIGN_IN_OPTIONS } from '../../platform/as-owner.ts';
import { requireFeature } from '../../platform/outdated.ts';
import { PROJECT_OPTION, projectIdOf } from '../publishing/project-option.ts';

export const removePublisherCommand = defineCommand({
  name: 'remove',
  summary: 'Stop trusting CI runs, and revoke their tokens',
  description: SIGN_IN_NOTE,
  arguments: [{ name: '<ID>', help: 'the id of the trusted publisher, from svc trust list' }],
  options: [API_OPTION, PROJECT_OPTION, ...SIGN_IN_OPTIONS],
  document: 'trust-remove',
  async run(call) {
    const id = projectIdOf(call);
    const [publisher = ''] = call.args;
    await asOwner(call, async (owner) => {
      await requireFeature(owner, 'publishers_per_project');
      await owner.call('removePublisher', { params: { id, publisher } }, { repeat: 'safe' });
      call.output.result({ id: publisher, removed: true }, () => [
        `Removed ${publisher}. Its runs cannot publish any more.`,
      ]);
    });
  },
});
