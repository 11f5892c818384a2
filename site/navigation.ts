// The order of the pages in the sidebar.

/** A heading of the sidebar with paths of documents and generated pages below it, relative to the root of the pages. */
export type Section = {
  readonly title: string;
  readonly pages: readonly string[];
};

export const SECTIONS: readonly Section[] = [
  { title: 'Start', pages: ['index.md', 'tour.md', 'docs/install.md'] },
  {
    title: 'Find what is slow',
    pages: [
      'docs/viewer.md',
      'docs/questions.md',
      'docs/collector.md',
      'writers/README.md',
      'docs/mcp.md',
    ],
  },
  { title: 'Publish a game', pages: ['docs/cli.md', 'docs/ci.md', 'docs/store.md'] },
  {
    title: 'Run the platform',
    pages: [
      'docs/run-it.md',
      'docs/operations.md',
      'docs/backups.md',
      'docs/incidents.md',
      'docs/identity-providers.md',
      'docs/administration.md',
      'docs/abuse.md',
      'docs/scale.md',
      'docs/security.md',
    ],
  },
  {
    title: 'Reference',
    pages: ['reference/commands/index.md', 'docs/vpt.md', 'docs/stability.md', 'CHANGELOG.md'],
  },
  {
    title: 'The platform’s API',
    pages: ['docs/platform-api.md', 'reference/platform-api/index.md'],
  },
  {
    title: 'The dashboard’s API',
    pages: [
      'docs/agent-api.md',
      'reference/agent-api/index.md',
      'reference/agent-api/operations.md',
    ],
  },
  {
    title: 'Work on svc',
    pages: [
      'CONTRIBUTING.md',
      'docs/architecture.md',
      'docs/style.md',
      'docs/decisions/index.md',
      'packages/index.md',
      'release/README.md',
      'compatibility/README.md',
      'mutation/README.md',
      'site/README.md',
    ],
  },
];

/** Folders whose pages have one more section, with the other pages of the folder. It is the first one. */
export const FOLDERS: readonly {
  readonly title: string;
  readonly folder: string;
  /** The end of the names of the pages. */
  readonly ending: string;
}[] = [
  { title: 'Commands', folder: 'reference/commands/', ending: '.md' },
  { title: 'Operations of the platform', folder: 'reference/platform-api/', ending: '.md' },
  { title: 'Decisions', folder: 'docs/decisions/', ending: '.md' },
  { title: 'Packages', folder: 'packages/', ending: 'README.md' },
];
