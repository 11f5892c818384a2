// Each act of an administrator: its command, its request, its records in the audit trail, and what changes for the user and for players.
import type { CallInput, PlatformClient, RouteName } from '@svc/contracts/platform';

/** What an act is done to, and the administrator of the API. */
export type Target = {
  readonly uid: string;
  readonly gameId: string;
  readonly slug: string;
  /** The ids of two tokens of the user. */
  readonly tokens: readonly [string, string];
  /** The ids of two reports of the game. */
  readonly reports: readonly [string, string];
};

/** What the user, administrators and players see of a target. A word of an attempt is `ok` or the code of its error. */
export type View = {
  /** Whether the user can sign in again. */
  readonly signIn: string;
  /** What the user's session may do: publish, create another project, read the pages of administrators. */
  readonly publish: string;
  readonly create: string;
  readonly administer: string;
  readonly tokens: readonly [string, string];
  /** The text of the game's page, or the status of an error. */
  readonly play: string;
  /** The same of the first release at its own address. */
  readonly firstRelease: string;
  readonly reports: readonly [string, string];
};

/** A user with a game of two releases, to whom nothing was done. A slug that is taken shows that another project is allowed. */
export const UNTOUCHED: View = {
  signIn: 'ok',
  publish: 'ok',
  create: 'slug_taken',
  administer: 'admin_required',
  tokens: ['ok', 'ok'],
  play: '2',
  firstRelease: '1',
  reports: ['open', 'open'],
};

/** A request of the API. */
type Request = {
  readonly route: RouteName;
  readonly send: (client: PlatformClient) => Promise<unknown>;
};

export type Act = {
  /** The words after `svc-platform admin`. */
  readonly command: readonly string[];
  /** Null if only the command line can do it. */
  readonly request: Request | null;
  /** The records that it writes: action, subject, detail. */
  readonly records: readonly (readonly [string, string, string | null])[];
  /** What differs from `UNTOUCHED` afterwards. */
  readonly changes: Partial<View>;
};

function request<Name extends RouteName>(route: Name, input: CallInput<Name>): Request {
  return { route, send: (client) => client.call(route, input) };
}

const hidden = { play: '404', firstRelease: '404' };
const refused = (code: string) => ({ publish: code, create: code, administer: code });

/** Acts one after another on one target: the act, and those that undo it. */
type Row = readonly [name: string, acts: (target: Target) => readonly Act[]];

export const ROWS: readonly Row[] = [
  [
    'a role is given and taken',
    ({ uid }) => [
      ...(
        [
          ['player', 'developer to player', refused('developer_required')],
          ['admin', 'player to admin', { administer: 'ok' }],
          ['developer', 'admin to developer', {}],
        ] as const
      ).map(
        ([role, detail, changes]): Act => ({
          command: ['user', 'role', uid, role],
          request: request('editUser', { params: { uid }, body: { role } }),
          records: [['user.role_changed', uid, detail]],
          changes: { ...changes, ...(role === 'player' && { administer: 'admin_required' }) },
        }),
      ),
    ],
  ],
  [
    'quotas are set and cleared',
    ({ uid }) => [
      {
        command: ['user', 'quota', uid, '--projects', '1', '--project-bytes', '5'],
        request: request('editUser', {
          params: { uid },
          body: { quota: { projects: 1, project_bytes: 5 } },
        }),
        records: [['user.quota_changed', uid, 'projects 1, bytes of a project 5']],
        changes: { publish: 'quota_exceeded', create: 'quota_exceeded' },
      },
      {
        command: ['user', 'quota', uid, '--projects', 'default', '--project-bytes', 'default'],
        request: request('editUser', {
          params: { uid },
          body: { quota: { projects: null, project_bytes: null } },
        }),
        records: [['user.quota_changed', uid, 'projects default, bytes of a project default']],
        changes: {},
      },
    ],
  ],
  [
    'a user is suspended and restored',
    ({ uid }) => [
      {
        command: ['user', 'suspend', uid, '--reason', 'Sends spam'],
        request: request('suspendUser', { params: { uid }, body: { reason: 'Sends spam' } }),
        records: [['user.suspended', uid, 'Sends spam']],
        changes: {
          ...refused('account_suspended'),
          signIn: 'account_suspended',
          tokens: ['account_suspended', 'account_suspended'],
          ...hidden,
        },
      },
      {
        command: ['user', 'restore', uid],
        request: request('restoreUser', { params: { uid } }),
        records: [['user.restored', uid, null]],
        // The sessions stay ended.
        changes: refused('session_ended'),
      },
    ],
  ],
  [
    'the sessions of a user are ended',
    ({ uid }) => [
      {
        command: ['user', 'end-sessions', uid],
        request: request('endSessions', { params: { uid } }),
        records: [['user.sessions_ended', uid, null]],
        changes: refused('session_ended'),
      },
    ],
  ],
  [
    'one token is revoked, and then all',
    ({ uid, tokens: [first, second] }) => [
      {
        command: ['user', 'tokens', uid, '--revoke', first],
        request: request('revokeUserToken', { params: { uid, token: first } }),
        records: [
          ['token.revoked', first, uid],
          ['user.tokens_revoked', uid, '1'],
        ],
        changes: { tokens: ['token_revoked', 'ok'] },
      },
      {
        command: ['user', 'tokens', uid, '--revoke-all'],
        request: request('revokeUserTokens', { params: { uid } }),
        records: [
          ['token.revoked', second, uid],
          ['user.tokens_revoked', uid, '1'],
        ],
        changes: { tokens: ['token_revoked', 'token_revoked'] },
      },
    ],
  ],
  [
    'all tokens are revoked at once',
    ({ uid, tokens: [first, second] }) => [
      {
        command: ['user', 'tokens', uid, '--revoke-all'],
        request: request('revokeUserTokens', { params: { uid } }),
        records: [
          ['token.revoked', first, uid],
          ['token.revoked', second, uid],
          ['user.tokens_revoked', uid, '2'],
        ],
        changes: { tokens: ['token_revoked', 'token_revoked'] },
      },
    ],
  ],
  [
    'an account is deleted',
    ({ uid, gameId, slug }) => [
      {
        command: ['user', 'delete', uid, '--yes'],
        request: null,
        records: [
          ['project.deleted', gameId, slug],
          ['account.deleted', uid, null],
        ],
        changes: {
          // The person has a new account, and the sessions of the deleted one have ended.
          ...refused('session_ended'),
          tokens: ['unauthenticated', 'unauthenticated'],
          ...hidden,
        },
      },
    ],
  ],
  [
    'a game is taken down and restored',
    ({ gameId, slug }) => [
      {
        command: ['game', 'take-down', slug, '--reason', 'Malware'],
        request: request('takeDown', { params: { id: gameId }, body: { reason: 'Malware' } }),
        records: [['game.taken_down', gameId, 'Malware']],
        changes: { publish: 'taken_down', ...hidden },
      },
      {
        command: ['game', 'restore', slug],
        request: request('restoreGame', { params: { id: gameId }, body: {} }),
        records: [['game.restored', gameId, null]],
        changes: {},
      },
    ],
  ],
  ...(
    [
      ['1', { firstRelease: '404' }],
      ['2', hidden],
    ] as const
  ).map(
    ([version, changes]): Row => [
      `release ${version} is taken down and restored`,
      ({ gameId, slug }) => [
        {
          command: ['game', 'take-down', slug, '--version', version, '--reason', 'Stolen art'],
          request: request('takeDown', {
            params: { id: gameId },
            body: { version, reason: 'Stolen art' },
          }),
          records: [['release.taken_down', gameId, `${version}: Stolen art`]],
          changes,
        },
        {
          command: ['game', 'restore', slug, '--version', version],
          request: request('restoreGame', { params: { id: gameId }, body: { version } }),
          records: [['release.restored', gameId, version]],
          changes: {},
        },
      ],
    ],
  ),
  [
    'a report is decided and opened again, and then all of its game are decided',
    ({ gameId, reports: [report] }) => [
      {
        command: ['report', 'resolve', report, 'dismissed', '--note', 'It works'],
        request: request('resolveReport', {
          params: { report },
          body: { outcome: 'dismissed', note: 'It works' },
        }),
        records: [['report.resolved', gameId, 'dismissed: It works']],
        changes: { reports: ['dismissed', 'open'] },
      },
      {
        command: ['report', 'reopen', report],
        request: request('reopenReport', { params: { report } }),
        records: [['report.reopened', gameId, null]],
        changes: {},
      },
      {
        command: ['report', 'resolve', report, 'acted', '--whole-game'],
        request: request('resolveReport', {
          params: { report },
          body: { outcome: 'acted', whole_game: true },
        }),
        records: [['report.resolved', gameId, 'acted 2 reports']],
        changes: { reports: ['acted', 'acted'] },
      },
    ],
  ],
];
