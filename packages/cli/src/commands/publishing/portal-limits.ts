// The published limits of other portals, for `svc check`.
import type { Build } from '@svc/game-build';
import { bytesText } from '@svc/trace/number-text';
import { formatCount } from '../../output/text.ts';

const MB = 1_000_000;
const MIB = 1024 * 1024;

type Portal = {
  readonly id: string;
  readonly name: string;
  /** The page with these limits. */
  readonly source: string;
  readonly files?: number;
  readonly file_bytes?: number;
  readonly total_bytes?: number;
};

/** From the portals' documents of November 2026. The portals may change them. */
const PORTALS: readonly Portal[] = [
  {
    id: 'itch',
    name: 'itch.io (HTML5)',
    source: 'https://itch.io/docs/creators/html5',
    files: 1000,
    file_bytes: 200 * MB,
    total_bytes: 500 * MB,
  },
  {
    id: 'crazygames',
    name: 'CrazyGames',
    source: 'https://docs.crazygames.com/requirements/technical/',
    files: 1500,
    total_bytes: 250 * MB,
  },
  {
    id: 'youtube-playables',
    name: 'YouTube Playables',
    source:
      'https://developers.google.com/youtube/gaming/playables/certification/requirements_stability',
    file_bytes: 30 * MIB,
    total_bytes: 250 * MIB,
  },
  {
    id: 'cloudflare-pages',
    name: 'Cloudflare Pages',
    source: 'https://developers.cloudflare.com/pages/platform/limits/',
    files: 20_000,
    file_bytes: 25 * MIB,
  },
];

export type PortalVerdict = {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly fits: boolean;
  /** The limits that the build exceeds, one phrase each. */
  readonly reasons: readonly string[];
};

/** Compares the build with the limits of each portal. */
export function comparePortals(build: Pick<Build, 'files' | 'expanded_bytes'>): PortalVerdict[] {
  return PORTALS.map(({ id, name, source, ...limits }) => {
    const reasons = findExcess(build, limits);
    return { id, name, source, fits: reasons.length === 0, reasons };
  });
}

function findExcess(
  { files, expanded_bytes: total }: Pick<Build, 'files' | 'expanded_bytes'>,
  limits: Pick<Portal, 'files' | 'file_bytes' | 'total_bytes'>,
): string[] {
  const { files: mostFiles, file_bytes: mostBytes, total_bytes: mostTotal } = limits;
  const largest = files.reduce<{ path: string; bytes: number } | null>(
    (most, file) => (most === null || file.bytes > most.bytes ? file : most),
    null,
  );
  const reasons: string[] = [];
  if (mostFiles !== undefined && files.length > mostFiles) {
    reasons.push(`${formatCount(files.length)} files, at most ${formatCount(mostFiles)}`);
  }
  if (mostBytes !== undefined && largest !== null && largest.bytes > mostBytes) {
    reasons.push(
      `${largest.path} has ${bytesText(largest.bytes)}, at most ${bytesText(mostBytes)}`,
    );
  }
  if (mostTotal !== undefined && total > mostTotal) {
    reasons.push(`${bytesText(total)} in all, at most ${bytesText(mostTotal)}`);
  }
  return reasons;
}
