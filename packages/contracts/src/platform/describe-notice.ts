// Describes notices in sentences, for the dashboard and for e-mail.
import { REPORT_REASONS } from './limits.ts';
import type { Notice } from './records.ts';

/** Returns what happened, as one sentence, followed by the reason if there is one. */
export function describeNotice(notice: Notice): string {
  const text = describe(notice);
  return /[.!?…。！？]$/u.test(text) ? text : `${text}.`;
}

function describe({ kind, game, version, detail }: Notice): string {
  const title = `"${game?.title ?? ''}"`;
  const release = `version "${version ?? ''}" of ${title}`;
  const why = detail === null ? '' : ` Reason: ${detail}`;
  switch (kind) {
    case 'game_reported':
      return `A player reported your game ${title}. Reason: ${reasonName(detail)}`;
    case 'report_received':
      return `A player reported ${title}. Reason: ${reasonName(detail)}`;
    case 'game_taken_down':
      return `The operator of the store took ${title} down.${why}`;
    case 'game_restored':
      return `The operator of the store restored ${title}.`;
    case 'release_taken_down':
      return `The operator of the store took ${release} down.${why}`;
    case 'release_restored':
      return `The operator of the store restored ${release}.`;
    case 'release_published': {
      const token = detail === null ? '' : ` with the token "${detail}"`;
      return `${capitalize(release)} was published${token}.`;
    }
    case 'token_created':
      return `The personal access token "${detail ?? ''}" was created for your account.`;
    case 'signed_in':
      return 'Your account was used to sign in on a new device.';
    case 'account_suspended':
      return `The operator of the store suspended your account.${why}`;
    case 'account_restored':
      return 'The operator of the store restored your account.';
    default:
      // A newer server has other kinds.
      return 'The store has news for you.';
  }
}

/** Returns the name of a reason for people. A newer server may have other reasons. */
export function reasonName(id: string | null): string {
  return REPORT_REASONS.find((reason) => reason.id === id)?.name ?? id ?? 'unknown';
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
