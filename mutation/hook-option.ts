// The Node option that loads the hook into a process.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const HOOK = pathToFileURL(join(import.meta.dirname, 'hook.ts')).href;
/** The first major version of Node that can load the hook. */
const LEAST_NODE = 24;

/** An older Node, which a test can start on purpose, runs without the hook, because it can't load TypeScript. */
const LOADER = `if (parseInt(process.versions.node) >= ${LEAST_NODE}) await import(${JSON.stringify(HOOK)});`;

export const HOOK_OPTION = `--import=data:text/javascript,${encodeURIComponent(LOADER)}`;
