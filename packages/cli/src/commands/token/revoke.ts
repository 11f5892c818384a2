// `svc token revoke`: revokes a token at once.
import { defineCommand } from '../../command-line/define-command.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { asOwner, SIGN_IN_NOTE, SIGN_IN_OPTIONS } from '../../platform/as-owner.ts';

export const revokeTokenCommand = defineCommand({
  name: 'revoke',
  summary: 'Revoke a token',
  description: `The platform rejects the token from its next request on. This cannot be undone. Revoking a token again is not an error.

${SIGN_IN_NOTE}`,
  arguments: [{ name: '<ID>', help: 'the id of the token, from svc token list' }],
  options: [API_OPTION, ...SIGN_IN_OPTIONS],
  document: 'token-revoke',
  async run(call) {
    const [id = ''] = call.args;
    await asOwner(call, async (owner) => {
      await owner.call('revokeToken', { params: { id } }, { repeat: 'safe' });
      call.output.result({ id, revoked: true }, () => `Revoked ${id}.`);
    });
  },
});
