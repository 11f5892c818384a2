// Reports each page, frame process and worker of the browser before any of its scripts runs.
import type { Browser, CDPSession, Connection } from 'puppeteer-core';

export type TargetKind = 'page' | 'frame' | 'worker';

export type TargetWatch = {
  /** Called before the target runs. Commands that are sent during the call come first. */
  follow(session: CDPSession, kind: TargetKind): void;
  /** Called when the target is gone. */
  unfollow(session: CDPSession): void;
};

const KINDS: Readonly<Record<string, TargetKind>> = {
  page: 'page',
  iframe: 'frame',
  worker: 'worker',
};

/** Reports the targets that are opened from now on. Returns the connection to the browser. */
export async function followTargets(
  browser: Browser,
  watches: readonly TargetWatch[],
): Promise<Connection> {
  const session = await browser.target().createCDPSession();
  const connection = session.connection();
  if (connection === undefined) throw new Error('The browser has closed its connection');
  // A target waits until puppeteer lets it run, which happens after this event of its parent.
  connection.on('sessiondetached', (gone: CDPSession) => {
    for (const watch of watches) watch.unfollow(gone);
  });
  connection.on('sessionattached', (parent: CDPSession) => {
    parent.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const child = connection.session(sessionId);
      const kind = KINDS[targetInfo.type];
      if (child === null || kind === undefined) return;
      for (const watch of watches) watch.follow(child, kind);
    });
  });
  return connection;
}
