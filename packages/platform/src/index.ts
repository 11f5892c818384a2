// The publishing platform, for `svc-platform` and for tests that start it.
export { readSettings, type Settings, SettingsError } from './start/settings.ts';
export {
  type PlatformOptions,
  type RunningPlatform,
  startPlatform,
} from './start/start-platform.ts';
