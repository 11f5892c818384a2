// `svc token list`: lists the tokens of the person who signs in, without their secrets.
import type { Token } from '@svc/contracts/platform';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatTable } from '../../output/table.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { asOwner, SIGN_IN_NOTE, SIGN_IN_OPTIONS } from '../../platform/as-owner.ts';

export const listTokensCommand = defineCommand({
  name: 'list',
  summary: 'List your tokens',
  description: SIGN_IN_NOTE,
  options: [API_OPTION, ...SIGN_IN_OPTIONS],
  document: 'token-list',
  async run(call) {
    await asOwner(call, async (owner) => {
      const { tokens } = await owner.call('tokens', {});
      call.output.result({ tokens }, () =>
        tokens.length === 0
          ? 'There are no tokens yet. Run svc token create --name NAME.'
          : table(tokens),
      );
    });
  },
});

function table(tokens: readonly Token[]): string[] {
  const columns = [
    { title: 'ID' },
    { title: 'NAME', max: 40 },
    { title: 'SCOPES' },
    { title: 'LAST USED' },
    { title: 'EXPIRES' },
    { title: 'STATE' },
  ];
  return formatTable(
    columns,
    tokens.map((token) => [
      token.id,
      token.name,
      token.scopes.join(','),
      day(token.last_used_at) ?? 'never',
      day(token.expires_at) ?? 'never',
      stateOf(token),
    ]),
  );
}

function stateOf(token: Token): string {
  if (token.revoked_at !== null) return 'revoked';
  const expired = token.expires_at !== null && Date.parse(token.expires_at) <= Date.now();
  return expired ? 'expired' : 'active';
}

function day(time: string | null): string | null {
  return time === null ? null : time.slice(0, 10);
}
