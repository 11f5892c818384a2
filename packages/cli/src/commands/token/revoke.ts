// `svc token revoke`: a token that no longer works from its very next request on.
import { defineCommand } from '../../command-line/define-command.ts';
import { API_OPTION, type ApiOptions } from '../../platform/api-address.ts';
import { asOwner, SIGN_IN_NOTE, SIGN_IN_OPTION } from './as-owner.ts';

export const revokeTokenCommand = defineCommand<ApiOptions & { readonly open: boolean }>({
  name: 'revoke',
  summary: 'Revoke a token',
  description: `It is refused from its next request on; that can't be undone. Revoking it again is no error.

${SIGN_IN_NOTE}`,
  arguments: [{ name: '<ID>', help: 'the token’s id, as svc token list shows it' }],
  options: [API_OPTION, SIGN_IN_OPTION],
  async run(call) {
    const [id = ''] = call.args;
    await asOwner(call, async (owner) => {
      await owner.call('revokeToken', { params: { id } }, { repeat: 'safe' });
      call.output.result({ id, revoked: true }, () => `Revoked ${id}.`);
    });
  },
});
