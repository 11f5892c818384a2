/**
 * Builds each workspace whose sources, or those of its dependencies, have changed since its last build. Throws with the
 * build's output if a build fails.
 */
export declare function buildBrowserCode(): void;
