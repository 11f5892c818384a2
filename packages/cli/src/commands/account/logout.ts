// `svc logout`: deletes the saved login from this machine. The token stays valid.
import { defineCommand } from '../../command-line/define-command.ts';
import { credentialsPath, deleteCredentials } from '../../platform/credentials.ts';
import { deleteKept } from '../../platform/kept-tokens.ts';

export const logoutCommand = defineCommand({
  name: 'logout',
  summary: 'Delete the saved login from this machine',
  description: `The token stays valid until you revoke it (svc token revoke) or it expires. SVC_TOKEN in the environment is not changed.`,
  document: 'logout',
  async run({ io, output }) {
    const path = credentialsPath(io.env);
    const deleted = deleteCredentials(io.env);
    deleteKept(io.env);
    const environment = (io.env['SVC_TOKEN'] ?? '') !== '';
    output.result({ deleted, credentials_path: path, svc_token_set: environment }, () =>
      deleted ? `Deleted ${path}.` : `There is no saved login at ${path}.`,
    );
    if (deleted) {
      output.note(
        'The token stays valid until you revoke it: run svc token list, then svc token revoke ID.',
      );
    }
    if (environment) output.warn('SVC_TOKEN is still set and in use.');
  },
});
