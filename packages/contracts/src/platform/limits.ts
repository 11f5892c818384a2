// The platform's default limits and its fixed lists of words. A server may have other limits: see its GET /limits.

/** Default limits. The unit is in the name: bytes, characters (Unicode code points), days, hours, minutes, seconds, pixels. All others are counts. */
export const PLATFORM_LIMITS = {
  title_characters: 80,
  tagline_characters: 140,
  description_characters: 20_000,
  notes_characters: 20_000,
  name_characters: 80,
  reason_characters: 500,
  report_characters: 4000,
  reports_open: 10_000,
  reports_open_per_game: 100,
  report_days: 400,
  notice_days: 180,
  /** 0: records of the audit trail are kept for good. */
  audit_days: 0,
  slug_minimum_characters: 3,
  slug_characters: 63,
  tags: 10,
  tag_minimum_characters: 2,
  tag_characters: 24,
  version_characters: 64,
  build_zip_bytes: 512 * 1024 * 1024,
  build_expanded_bytes: 2 * 1024 * 1024 * 1024,
  build_file_bytes: 512 * 1024 * 1024,
  build_files: 10_000,
  build_path_bytes: 240,
  build_path_levels: 32,
  image_bytes: 8 * 1024 * 1024,
  image_side_pixels: 8192,
  trailer_bytes: 128 * 1024 * 1024,
  screenshots: 8,
  alt_characters: 300,
  json_body_bytes: 256 * 1024,
  projects_per_developer: 50,
  releases_per_project: 100,
  project_bytes: 5 * 1024 * 1024 * 1024,
  list_default: 24,
  list_maximum: 100,
  token_default_days: 365,
  token_maximum_days: 3650,
  hashed_files_grace_days: 7,
  replaced_release_hours: 24,
  upload_silence_seconds: 30,
  upload_hours: 24,
  upload_list_bytes: 8 * 1024 * 1024,
  upload_part_bytes: 1024 * 1024,
  uploads_per_project: 4,
  previews_per_project: 100,
  preview_name_characters: 64,
  preview_default_days: 14,
  preview_maximum_days: 90,
  former_slugs_per_project: 10,
  deleted_game_days: 14,
  publishers_per_project: 20,
  publisher_text_characters: 255,
  exchanged_token_minutes: 15,
  stats_days: 400,
  rate_failures_per_minute: 1200,
  rate_sessions_per_minute: 600,
  rate_logouts_per_minute: 6000,
  rate_reports_per_minute: 6,
  rate_writes_per_minute: 600,
  rate_searches_per_minute: 1200,
  rate_parts_per_minute: 12_000,
  daily_sign_ups_per_address: 200,
  daily_sign_ups_per_network: 2000,
  daily_reports_per_address: 30,
  daily_reports_per_network: 300,
  daily_projects_per_user: 100,
  daily_projects_per_address: 300,
  daily_projects_per_network: 3000,
  daily_uploads_per_user: 2000,
  daily_uploads_per_address: 6000,
  daily_uploads_per_network: 60_000,
  daily_upload_bytes_per_user: 128 * 1024 ** 3,
  daily_upload_bytes_per_address: 256 * 1024 ** 3,
  daily_upload_bytes_per_network: 2 * 1024 ** 4,
} as const;

/** The body of a compressed part may be longer than `upload_part_bytes` by this, because incompressible bytes become longer. */
export const PART_CODING_BYTES: number = 64 * 1024;

/** The limits of one server. */
export type PlatformLimits = { readonly [Name in keyof typeof PLATFORM_LIMITS]: number };

/** Engines of games. The default is `html5`. */
export const ENGINES = [
  'html5',
  'phaser',
  'pixi',
  'three',
  'babylon',
  'playcanvas',
  'construct',
  'gamemaker',
  'godot',
  'unity',
  'unreal',
  'bevy',
  'rpgmaker',
  'twine',
  'pico8',
  'other',
] as const;
export type EngineName = (typeof ENGINES)[number];

/** Categories of the store in the order in which forms show them, each with its id and the name for people. */
export const CATEGORIES = [
  { id: 'action', name: 'Action' },
  { id: 'adventure', name: 'Adventure' },
  { id: 'arcade', name: 'Arcade' },
  { id: 'card', name: 'Card' },
  { id: 'education', name: 'Education' },
  { id: 'horror', name: 'Horror' },
  { id: 'idle', name: 'Idle' },
  { id: 'multiplayer', name: 'Multiplayer' },
  { id: 'platformer', name: 'Platformer' },
  { id: 'puzzle', name: 'Puzzle' },
  { id: 'racing', name: 'Racing' },
  { id: 'rhythm', name: 'Rhythm' },
  { id: 'rpg', name: 'Role-playing' },
  { id: 'shooter', name: 'Shooter' },
  { id: 'simulation', name: 'Simulation' },
  { id: 'sports', name: 'Sports' },
  { id: 'strategy', name: 'Strategy' },
  { id: 'visual-novel', name: 'Visual novel' },
  { id: 'other', name: 'Other' },
] as const;
export type CategoryId = (typeof CATEGORIES)[number]['id'];

/** Why players report a game, in the order in which forms show it, each with its id and the name for people. */
export const REPORT_REASONS = [
  { id: 'broken', name: 'It does not work' },
  { id: 'misleading', name: 'It is spam, a scam, or not what it claims to be' },
  { id: 'malicious', name: 'It harms the device or steals data' },
  { id: 'copyright', name: 'It uses the work of others without permission' },
  { id: 'abusive', name: 'It contains hate, harassment or threats' },
  { id: 'explicit', name: 'It contains sexual or violent content' },
  { id: 'illegal', name: 'It is illegal for another reason' },
  { id: 'other', name: 'Something else' },
] as const;
export type ReportReasonId = (typeof REPORT_REASONS)[number]['id'];

/** Scopes of personal access tokens. `publish` includes `read`. */
export const SCOPES = ['publish', 'read'] as const;
export type Scope = (typeof SCOPES)[number];

/** Slugs that no project can have: names of the platform's own pages and hosts. */
export const RESERVED_SLUGS: readonly string[] = [
  'about',
  'account',
  'admin',
  'api',
  'app',
  'assets',
  'auth',
  'categories',
  'cdn',
  'dashboard',
  'dev',
  'developers',
  'devs',
  'docs',
  'games',
  'healthz',
  'help',
  'home',
  'legal',
  'limits',
  'livez',
  'login',
  'logout',
  'mail',
  'media',
  'new',
  'play',
  'privacy',
  'projects',
  'publish',
  'readyz',
  'search',
  'security',
  'settings',
  'sign-in',
  'static',
  'status',
  'store',
  'support',
  'svc',
  'tags',
  'terms',
  'tokens',
  'users',
  'www',
];

/** The pattern of a slug. {@link PLATFORM_LIMITS} limits its length. */
export const SLUG_PATTERN = '^[a-z0-9]+(?:-[a-z0-9]+)*$';
/** The pattern of a version: `A-Za-z0-9.+_-`. `.` and `..` are excluded because URLs cannot contain them as a segment. */
export const VERSION_PATTERN = '^(?!\\.{1,2}$)[A-Za-z0-9.+_-]+$';
/** The pattern of the name of a preview: letters, digits and punctuation that needs no quotes in a shell. Limits bound its length. */
export const PREVIEW_NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._/+-]*$';
/** The pattern of a tag. Limits bound its length. */
export const TAG_PATTERN = '^[a-z0-9-]+$';
