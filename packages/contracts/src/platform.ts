// The contract of the publishing platform: what travels between it, the command line and the store site.
export * from './platform/client.ts';
export * from './platform/describe-notice.ts';
export * from './platform/errors.ts';
export * from './platform/limits.ts';
export * from './platform/records.ts';
export * from './platform/requests.ts';
export * from './platform/routes.ts';
export * from './platform/sign-in-providers.ts';
export * from './platform/text.ts';
export * from './platform/token.ts';
