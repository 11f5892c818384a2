// The sentences of notices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeNotice } from './describe-notice.ts';
import { NOTICE_KINDS, type Notice, type NoticeKind } from './records.ts';

const notice = (kind: NoticeKind, parts: Partial<Notice> = {}): Notice => ({
  ...{ id: '0190b0a0-0000-7000-8000-000000000000', at: '2026-11-28T12:00:00.000Z', kind },
  ...{ game: { id: 'g', title: 'Moon Hop', slug: 'moon-hop' }, version: '1.2.0' },
  ...{ detail: null, read: false },
  ...parts,
});

test('each kind of notice has a sentence that names the game, the version and the detail that it is about', () => {
  const said = (kind: NoticeKind, detail: string | null = null) =>
    describeNotice(notice(kind, { detail }));
  assert.deepEqual(
    [
      said('game_reported', 'malicious'),
      said('report_received', 'broken'),
      said('game_taken_down'),
      said('game_taken_down', 'Malware'),
      said('game_taken_down', 'Why? Ask us!'),
      said('game_restored'),
      said('release_taken_down', 'Malware'),
      said('release_restored'),
      said('release_published'),
      said('release_published', 'CI: acme/moon-hop'),
      said('token_created', 'laptop'),
      said('signed_in'),
      said('account_suspended', 'Spam'),
      said('account_restored'),
    ],
    [
      'A player reported your game "Moon Hop". Reason: It harms the device or steals data.',
      'A player reported "Moon Hop". Reason: It does not work.',
      'The operator of the store took "Moon Hop" down.',
      'The operator of the store took "Moon Hop" down. Reason: Malware.',
      'The operator of the store took "Moon Hop" down. Reason: Why? Ask us!',
      'The operator of the store restored "Moon Hop".',
      'The operator of the store took version "1.2.0" of "Moon Hop" down. Reason: Malware.',
      'The operator of the store restored version "1.2.0" of "Moon Hop".',
      'Version "1.2.0" of "Moon Hop" was published.',
      'Version "1.2.0" of "Moon Hop" was published with the token "CI: acme/moon-hop".',
      'The personal access token "laptop" was created for your account.',
      'Your account was used to sign in on a new device.',
      'The operator of the store suspended your account. Reason: Spam.',
      'The operator of the store restored your account.',
    ],
  );
  assert.equal(new Set(NOTICE_KINDS.map((kind) => said(kind))).size, NOTICE_KINDS.length);
});

test('kinds and reasons of a newer server have a sentence too', () => {
  const newer = notice('a_new_kind' as NoticeKind);
  assert.equal(describeNotice(newer), 'The store has news for you.');
  assert.equal(
    describeNotice(notice('game_reported', { detail: 'boring' })),
    'A player reported your game "Moon Hop". Reason: boring.',
  );
});
