// CHANGELOG.md, in the form of https://keepachangelog.com/en/1.1.0/.

export const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'] as const;

export type Section = {
  /** A version, or `Unreleased`. */
  readonly name: string;
  /** As `2026-11-27`. Null for `Unreleased`. */
  readonly date: string | null;
  /** The text below the heading. */
  readonly body: string;
};

const HEADING = /^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$/gm;

/** Returns the sections, the newest first, and the text before them. */
export function parseChangelog(text: string): {
  readonly head: string;
  readonly sections: readonly Section[];
} {
  const found = [...text.matchAll(HEADING)];
  return {
    head: text.slice(0, found[0]?.index ?? text.length),
    sections: found.map((match, index) => {
      const [whole, name = '', date = null] = match;
      const body = text.slice(match.index + whole.length, found[index + 1]?.index ?? text.length);
      return { name, date, body: body.trim() };
    }),
  };
}

/** Makes the unreleased changes those of a version. Throws if there are none, or the version is there already. */
export function releaseChanges(text: string, version: string, date: string): string {
  const { head, sections } = parseChangelog(text);
  const [unreleased, ...others] = sections;
  if (unreleased?.name !== 'Unreleased' || unreleased.body === '') {
    throw new Error('Describe the changes in CHANGELOG.md, below "## [Unreleased]".');
  }
  if (others.some(({ name }) => name === version)) {
    throw new Error(`CHANGELOG.md has the version ${version} already.`);
  }
  return formatChangelog(head, [
    { name: 'Unreleased', date: null, body: '' },
    { name: version, date, body: unreleased.body },
    ...others,
  ]);
}

function formatChangelog(head: string, sections: readonly Section[]): string {
  const parts = sections.map(({ name, date, body }) => {
    const heading = `## [${name}]${date === null ? '' : ` - ${date}`}`;
    return body === '' ? heading : `${heading}\n\n${body}`;
  });
  return `${head.trimEnd()}\n\n${parts.join('\n\n')}\n`;
}
