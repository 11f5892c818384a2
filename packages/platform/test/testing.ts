// The platform's test code for tests of other packages: `@svc/platform/testing`.
export { type FakeS3, startFakeS3 } from './fake-s3.ts';
export { type FlakyProxy, startFlakyProxy } from './flaky-proxy.ts';
export { asOperator, giveRole, makeAdmin } from './make-admin.ts';
export { makeWebm } from './make-trailer.ts';
export { makeZip } from './make-zip.ts';
export { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
export { type OutsideProvider, startOutsideProvider } from './outside-provider.ts';
export { type PlatformProcess, startProcess } from './platform-process.ts';
export { publishBuild, publishForm } from './publish-build.ts';
export { publishParts } from './publish-parts.ts';
export { openUpkeep } from './run-upkeep.ts';
export { signIn } from './sign-in.ts';
export { signInDeveloper } from './sign-in-developer.ts';
export { type Ceph, cephMissing, environmentOf, startCeph } from './start-ceph.ts';
export {
  newDatabase,
  type Postgres,
  postgresMissing,
  queryDatabase,
  startPostgres,
} from './start-postgres.ts';
