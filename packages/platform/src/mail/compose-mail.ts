// The e-mail for a notice: plain text, with a link to the page of the store where the user can act.
import {
  cleanLine,
  describeNotice,
  type MailChoices,
  type Notice,
  type NoticeKind,
} from '@svc/contracts/platform';

/** The subject and the text of an e-mail. */
type Composed = { readonly subject: string; readonly text: string };

/** The choice of the user that each kind belongs to. Others are always sent. */
const CHOICES: Partial<Record<NoticeKind, keyof MailChoices>> = {
  game_reported: 'reports',
  report_received: 'reports',
  release_published: 'releases',
  signed_in: 'sign_ins',
  token_created: 'sign_ins',
};

/** What users can do about a notice that is no news if they did it themselves. */
const IF_NOT_YOU: Partial<Record<NoticeKind, string>> = {
  release_published:
    'If you did not do this, roll back, and revoke tokens that you do not know in the dashboard:',
  token_created:
    'If you did not do this, revoke the token, and change your password at the service with which you sign in:',
  signed_in:
    'If this was not you, change your password at the service with which you sign in, and look at your tokens:',
};

/** Returns whether the user wants this kind of notice by e-mail. */
export function isWanted(kind: NoticeKind, choices: MailChoices): boolean {
  const choice = CHOICES[kind];
  return choice === undefined || choices[choice];
}

/** Composes the e-mail for a user with this name. `webOrigin` is the address of the store. */
export function composeMail(notice: Notice, name: string, webOrigin: string): Composed {
  const sentence = describeNotice(notice);
  const advice = IF_NOT_YOU[notice.kind];
  const choice = CHOICES[notice.kind];
  const paragraphs = [
    `Hello ${cleanLine(name)},`,
    `${sentence}\nTime: ${notice.at.slice(0, 16).replace('T', ' ')} UTC`,
    ...(advice === undefined ? [] : [advice]),
    `${webOrigin}${pathOf(notice)}`,
    `-- \nThe store at ${webOrigin} sends this to the address of your account.`,
  ];
  const footer =
    choice === undefined
      ? ''
      : ` You can turn it off in your profile:\n${webOrigin}/dashboard/profile`;
  return {
    subject: subjectOf(notice),
    text: `${paragraphs.join('\n\n')}${footer}\n`,
  };
}

/** Kinds whose detail is a reason that an administrator wrote, which may be long. */
const REASONED: ReadonlySet<NoticeKind> = new Set([
  'game_taken_down',
  'release_taken_down',
  'account_suspended',
]);

function subjectOf(notice: Notice): string {
  const sentence = describeNotice(REASONED.has(notice.kind) ? { ...notice, detail: null } : notice);
  return cleanLine(sentence.replace(/\.$/, ''));
}

/** The page of the store that shows what the notice is about. */
function pathOf({ kind, game }: Notice): string {
  switch (kind) {
    case 'report_received':
      return `/dashboard/admin/reports?game=${game?.id ?? ''}&state=all`;
    case 'token_created':
    case 'signed_in':
      return '/dashboard/tokens';
    case 'account_suspended':
      // The user can't sign in.
      return '/';
    default:
      return game === null || kind === 'game_reported'
        ? '/dashboard/notices'
        : `/dashboard/games/${game.id}`;
  }
}
