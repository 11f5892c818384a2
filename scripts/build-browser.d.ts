/**
 * Builds every workspace whose sources, or those of the workspaces it imports, are not the ones of its last build.
 * Throws where a build fails; output of a build that succeeds is not shown.
 */
export declare function buildBrowserCode(): void;
