// The build checks' test code for tests of other packages: `@svc/game-build/testing`.
export { quotedOverlapBomb } from './overlap-bomb.ts';
