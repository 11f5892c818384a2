// Recognizes secrets by file names and by well-known patterns in text.

const SECRET_NAMES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)\.env(?:\.(?!example$|sample$|template$)[^/]*)?$/i, 'an environment file'],
  [/(?:^|\/)\.(?:git|hg|svn)(?:\/|$)/i, "a version control's store"],
  [/(?:^|\/)\.(?:npmrc|yarnrc|yarnrc\.yml|pypirc|netrc|git-credentials|htpasswd)$/i, 'credentials'],
  [/(?:^|\/)\.(?:ssh|aws|gnupg|kube|docker)(?:\/|$)/i, 'credentials'],
  [/\.(?:pem|key|p12|pfx|jks|keystore|ppk|kdbx)$/i, 'a key'],
  [/(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)(?:_[^/]*)?$/i, 'a key'],
  [/(?:^|\/)(?:credentials|service-?account[^/]*|client_secret[^/]*)\.json$/i, 'credentials'],
];

/** The kind of secret that a path names, or null. */
export function findSecretName(path: string): string | null {
  return SECRET_NAMES.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}

const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN (?:[A-Z]{1,12} ){0,2}PRIVATE KEY-----/, 'a private key'],
  [/\bsvc_[0-9A-Za-z]{42}\b/, 'an access token of this platform'],
  [/\bAKIA[0-9A-Z]{16}\b/, 'an AWS access key'],
  [/\bgh[pousr]_[0-9A-Za-z]{36}\b/, 'a GitHub token'],
  [/\bsk_live_[0-9A-Za-z]{24}/, 'a Stripe key'],
  [/\bxox[abp]-[0-9A-Za-z-]{20}/, 'a Slack token'],
];

/** The kind of secret in a text, or null. */
export function findSecretText(text: string): string | null {
  return SECRET_TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
