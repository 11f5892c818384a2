// Players and visitors: they compare each byte with what was published.
import { type Game, mayHaveRolledBack, playable, type Release } from './game.ts';
import { getFile, getUntilAnswered } from './get.ts';
import { type Cluster, HOSTS } from './open-cluster.ts';
import type { Random } from './random.ts';

const ENCODINGS = ['identity', 'gzip', 'br'];

/**
 * Plays the game once: the page, then all files of its release. Half of the players reach both processes in turns, as behind
 * a proxy that does not keep a game at one process. Throws if a byte is wrong or too old.
 */
export async function playOnce(
  cluster: Pick<Cluster, 'send'>,
  game: Game,
  random: Random,
): Promise<void> {
  const isSpread = random.next() < 0.5;
  const send: Cluster['send'] = (host, path, init) =>
    cluster.send(host, path, init, isSpread ? random.pick([0, 1] as const) : undefined);
  const host = HOSTS.game(game.slug);
  const init = { headers: { 'accept-encoding': random.pick(ENCODINGS) } };
  const page = await getFile(send, host, '/', init);
  const playing = playable(game, page.requestedAt, page.answeredAt);
  const release = playing.find((one) => isFile(one, 'index.html', page.bytes));
  if (release === undefined) {
    throw new Error(
      `${host}: expected ${namesOf(playing)}, got ${String(page.bytes).slice(0, 200)}`,
    );
  }
  for (const path of release.files.keys()) {
    // Hashed names stay when a publish replaces a release. The others belong to the release that is live now.
    const isHashed = /-[0-9a-f]{32}\./.test(path);
    const got = await getUntilAnswered(send, host, `/${path}`, init);
    const isGone = got.status === 404 && isHashed;
    if (isGone && mayHaveRolledBack(game, page.requestedAt, got.answeredAt)) return;
    const allowed = isHashed ? [release] : playable(game, got.requestedAt, got.answeredAt);
    if (got.status !== 200 || !allowed.some((one) => isFile(one, path, got.bytes))) {
      throw new Error(
        `${host}/${path}: not a byte of ${namesOf(allowed)}, ${got.status}, ${got.bytes.length} bytes`,
      );
    }
  }
}

function isFile({ files }: Release, path: string, bytes: Buffer): boolean {
  return files.get(path)?.equals(bytes) === true;
}

function namesOf(releases: readonly Release[]): string {
  return releases.map(({ version }) => version).join(' or ');
}

/** Looks at the store and the catalog once. Throws if the game is missing, or the page's style. */
export async function browseOnce(send: Cluster['send'], game: Game): Promise<void> {
  const get = async (host: string, path: string): Promise<string> =>
    String((await getFile(send, host, path)).bytes);
  for (const [host, path] of [
    [HOSTS.web, '/'],
    [HOSTS.web, `/games/${game.slug}`],
    [HOSTS.api, '/home'],
    [HOSTS.api, `/games/${game.slug}`],
  ] as const) {
    const text = await get(host, path);
    if (!text.includes(game.slug)) throw new Error(`${host}${path} does not show ${game.slug}`);
    const style = /href="(\/assets\/[^"]+\.css)"/.exec(text)?.[1];
    if (style !== undefined) await get(host, style);
  }
}
