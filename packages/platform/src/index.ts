// The publishing platform as a program that other programs start: the tests, the command line's tests, `svc-platform`.
export { readSettings, type Settings, SettingsError } from './start/settings.ts';
export {
  type PlatformOptions,
  type RunningPlatform,
  startPlatform,
} from './start/start-platform.ts';
