// The platform's error codes, each with its HTTP status, its meaning, and the exit code of the command line.
import { EXIT } from '../exit-codes.ts';

export { EXIT };

/** One error code. `exit` is the exit code of `svc` if a command fails with it. */
export type PlatformErrorRow = {
  readonly status: number;
  readonly meaning: string;
  readonly exit: number;
};

const row = (status: number, exit: number, meaning: string): PlatformErrorRow => ({
  status,
  meaning,
  exit,
});
const badBuild = (meaning: string): PlatformErrorRow => row(400, EXIT.invalid, meaning);

/** All codes that the platform answers with. */
export const PLATFORM_ERRORS = {
  invalid_input: row(
    400,
    EXIT.invalid,
    'A field, parameter or part is missing, unknown or invalid',
  ),
  image_invalid: badBuild('An image is not a PNG, JPEG, WebP or AVIF that can be decoded'),
  trailer_invalid: badBuild('A trailer is not an MP4 or WebM file'),
  zip_malformed: badBuild('The build is not a ZIP, is truncated, or declares inconsistent sizes'),
  zip_ambiguous: badBuild('Different programs would unpack the ZIP differently'),
  zip_overlap: badBuild('Two entries of the ZIP share bytes'),
  zip_crc_mismatch: badBuild('An entry does not have the checksum that it declares'),
  zip_size_mismatch: badBuild('An entry does not have the size that it declares'),
  zip_path_invalid: badBuild('An entry has a name that is not safe on every system'),
  zip_path_collision: badBuild('Two entries have names that are the same on some systems'),
  zip_entry_type: badBuild('An entry is neither a regular file nor a folder'),
  zip_encrypted: badBuild('An entry is encrypted'),
  zip_method_unsupported: badBuild('An entry is compressed with a method other than deflate'),
  zip_missing_index: badBuild('There is no index.html at the root of the build'),
  build_rejected: badBuild("The operator's check of builds has rejected the build"),
  unauthenticated: row(401, EXIT.unauthenticated, 'The request has no valid credential'),
  session_required: row(
    401,
    EXIT.unauthenticated,
    'The ID token is valid, but its owner has no session yet. Call POST /auth/session first',
  ),
  token_revoked: row(401, EXIT.unauthenticated, 'The personal access token was revoked'),
  id_token_used: row(401, EXIT.unauthenticated, 'The ID token was exchanged before'),
  token_expired: row(401, EXIT.unauthenticated, 'The personal access token has expired'),
  session_ended: row(401, EXIT.unauthenticated, 'The session was ended. Sign in again'),
  developer_required: row(403, EXIT.forbidden, 'The caller is not a developer'),
  developer_signup_closed: row(
    403,
    EXIT.forbidden,
    "The account is not on this server's list of developers",
  ),
  account_suspended: row(403, EXIT.forbidden, 'The operator has suspended the account'),
  admin_required: row(403, EXIT.forbidden, 'The caller is not an administrator'),
  taken_down: row(403, EXIT.forbidden, 'The operator has taken the game or the release down'),
  not_owner: row(403, EXIT.forbidden, 'The project belongs to another developer'),
  not_trusted: row(403, EXIT.forbidden, 'The project does not trust this identity'),
  scope_missing: row(403, EXIT.forbidden, 'The personal access token lacks the scope'),
  session_only: row(403, EXIT.forbidden, 'A personal access token is not accepted here'),
  project_not_in_token: row(
    403,
    EXIT.forbidden,
    'The personal access token is limited to other projects',
  ),
  not_found: row(404, EXIT.not_found, 'The resource does not exist or is not public'),
  method_not_allowed: row(405, EXIT.unexpected, 'The path does not accept this method'),
  digest_mismatch: row(400, EXIT.unreachable, 'A part does not have the digest that it declares'),
  request_timeout: row(408, EXIT.unreachable, 'The request arrived too slowly'),
  slug_taken: row(409, EXIT.conflict, 'The slug belongs to another project or another developer'),
  version_exists: row(409, EXIT.conflict, 'The version value was used before in this project'),
  publish_in_progress: row(409, EXIT.conflict, 'Another publish of this project is running'),
  upload_incomplete: row(409, EXIT.conflict, 'Parts of the upload have not arrived'),
  not_published: row(409, EXIT.conflict, 'The game has no release yet'),
  not_staged: row(409, EXIT.conflict, 'The release is not staged'),
  own_account: row(409, EXIT.conflict, 'Administrators cannot do this to their own account'),
  release_live: row(409, EXIT.conflict, 'The release is live'),
  payload_too_large: row(413, EXIT.too_large, 'The request, or one of its parts, is too large'),
  zip_too_many_entries: row(413, EXIT.too_large, 'The build has too many entries'),
  zip_file_too_large: row(413, EXIT.too_large, 'A file of the build is too large'),
  zip_expansion_limit: row(413, EXIT.too_large, 'The build is too large when unpacked'),
  image_too_large: row(413, EXIT.too_large, 'An image has too many bytes or pixels'),
  quota_exceeded: row(413, EXIT.too_large, 'The developer or project has reached a quota'),
  unsupported_media_type: row(
    415,
    EXIT.unexpected,
    'The content type of the body is not supported',
  ),
  range_not_satisfiable: row(416, EXIT.unexpected, 'The range lies outside of the file'),
  unavailable_for_legal_reasons: row(
    451,
    EXIT.not_found,
    'The operator has taken the game down. Servers can answer not_found instead',
  ),
  rate_limited: row(429, EXIT.unreachable, 'Too many requests. Wait for the time in Retry-After'),
  internal: row(500, EXIT.server, 'An error occurred in the server'),
  identity_unavailable: row(503, EXIT.server, "The identity provider's keys are not available"),
  busy: row(503, EXIT.server, 'The server is at capacity. Try again later'),
  unavailable: row(
    503,
    EXIT.server,
    'The database or the file store cannot be reached now. Try again later',
  ),
  change_interrupted: row(
    503,
    EXIT.server,
    'The server was stopped for too long during the change. Nothing was changed. Try again',
  ),
  hook_failed: row(
    503,
    EXIT.server,
    "The operator's check of builds does not work now. Nothing was changed. Try again later",
  ),
  shutting_down: row(503, EXIT.server, 'The server is shutting down. Try again later'),
  storage_full: row(507, EXIT.server, 'The server has no disk space left. Nothing was changed'),
} as const satisfies Readonly<Record<string, PlatformErrorRow>>;

export type PlatformErrorCode = keyof typeof PLATFORM_ERRORS;

/** Returns whether the text is one of the platform's codes. */
export function isPlatformErrorCode(code: string): code is PlatformErrorCode {
  return Object.hasOwn(PLATFORM_ERRORS, code);
}

/** The code for each condition that the server reports before a route handles the request. */
export const PLATFORM_CONDITIONS = {
  malformed: 'invalid_input',
  invalid_input: 'invalid_input',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  body_too_large: 'payload_too_large',
  media_type: 'unsupported_media_type',
  too_slow: 'request_timeout',
  too_long: 'busy',
  busy: 'busy',
  closing: 'shutting_down',
  internal: 'internal',
} as const satisfies Readonly<Record<string, PlatformErrorCode>>;
