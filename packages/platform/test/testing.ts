// The platform's test code for tests of other packages: `@svc/platform/testing`.
export { makeWebm } from './make-trailer.ts';
export { makeZip } from './make-zip.ts';
export { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
export { type PlatformProcess, startProcess } from './platform-process.ts';
export { publishBuild, publishForm } from './publish-build.ts';
export { signIn } from './sign-in.ts';
