// What all installers say about svc.

export const DESCRIPTION = {
  summary: 'Profile a game on your machine, and publish it',
  text: 'svc finds out why a game hitches and which asset costs the most, on your machine and in private, and publishes its builds to a platform.',
  license: 'Apache-2.0',
  maintainer: 'The svc developers <svc@localhost>',
  server: {
    summary: 'Publishing platform and store for games',
    text: 'svc-platform receives the builds of games and plays them. svc-web is its store, and the dashboard of developers.',
    programs: {
      'svc-platform': 'receive, keep and play builds of games',
      'svc-web': 'store and dashboard for games',
    },
  },
} as const;
