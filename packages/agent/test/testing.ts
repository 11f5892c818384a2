// The agent's test code for tests of other packages: `@svc/agent/testing`.
export { skippedWithoutBpf } from './can-observe.ts';
export { ask, startTarget, startTestAgent, until } from './harness.ts';
export { startLoader } from './targets/start-loader.ts';
export { startPresenter } from './targets/start-presenter.ts';
export { hasCompiler } from './targets/start-shares.ts';
