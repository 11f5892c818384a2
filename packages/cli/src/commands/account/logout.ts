// `svc logout`: deletes the saved login on this machine, and nothing else.
import { defineCommand } from '../../command-line/define-command.ts';
import { credentialsPath, deleteCredentials } from '../../platform/credentials.ts';

export const logoutCommand = defineCommand<object>({
  name: 'logout',
  summary: 'Delete the saved login from this machine',
  description: `The token itself stays valid until it is revoked (svc token revoke) or expires, and a SVC_TOKEN in the
environment stays as it is.`,
  async run({ io, output }) {
    const path = credentialsPath(io.env);
    const deleted = deleteCredentials(io.env);
    const environment = (io.env['SVC_TOKEN'] ?? '') !== '';
    output.result({ deleted, credentials_path: path, svc_token_set: environment }, () =>
      deleted ? `Deleted ${path}.` : `There is no saved login (${path}).`,
    );
    if (deleted) {
      output.note(
        'The token still works until you revoke it: svc token list, svc token revoke ID.',
      );
    }
    if (environment) output.warn('SVC_TOKEN is still set, and is still used.');
  },
});
