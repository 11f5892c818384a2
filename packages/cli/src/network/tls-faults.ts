// Explains TLS failures. A retry cannot help with any of them.

type TlsFault = { readonly reason: string; readonly hint: string };

const CHECK_ADDRESS = 'Check the address and the port.';
const TRUST =
  'If you trust the issuer, set NODE_EXTRA_CA_CERTS to a file with its certificate: NODE_EXTRA_CA_CERTS=/path/to/ca.pem.';
const OPERATOR = 'Only the operator of the server can correct this.';

const FAULTS: Readonly<Record<string, TlsFault>> = {
  CERT_HAS_EXPIRED: {
    reason: 'its certificate has expired',
    hint: `${OPERATOR} Also check the clock of this machine.`,
  },
  CERT_NOT_YET_VALID: {
    reason: 'its certificate is not valid yet',
    hint: `Check the clock of this machine. ${OPERATOR}`,
  },
  CERT_REVOKED: { reason: 'its certificate was revoked', hint: OPERATOR },
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: 'its certificate is self-signed', hint: TRUST },
  SELF_SIGNED_CERT_IN_CHAIN: {
    reason: 'its certificate is from an issuer that this machine does not trust',
    hint: TRUST,
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    reason: 'its certificate is from an issuer that this machine does not trust',
    hint: TRUST,
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    reason: 'its certificate is from an issuer that this machine does not trust',
    hint: TRUST,
  },
  UNABLE_TO_GET_ISSUER_CERT: {
    reason: 'its certificate is from an issuer that this machine does not trust',
    hint: TRUST,
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    reason: 'the server does not speak TLS, which https: requires',
    hint: CHECK_ADDRESS,
  },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: {
    reason: 'the server does not speak TLS, which https: requires',
    hint: CHECK_ADDRESS,
  },
};

/** Whether the code of an error means that TLS failed, and not the connection below it. */
export function isTlsFault(code: string): boolean {
  return (
    code === 'EPROTO' ||
    Object.hasOwn(FAULTS, code) ||
    /^(ERR_SSL_|ERR_TLS_|CERT_|CRL_|UNABLE_TO_|ERROR_IN_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)/.test(
      code,
    )
  );
}

/** The reason, to follow "Cannot reach ADDRESS:", and the next step. */
export function explainTls(error: unknown, code: string, url: URL): TlsFault {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return wrongName(error, url);
  return FAULTS[code] ?? { reason: `TLS failed (${code})`, hint: `${CHECK_ADDRESS} ${OPERATOR}` };
}

function wrongName(error: unknown, { hostname }: URL): TlsFault {
  const names =
    error instanceof Error && 'cert' in error && isCertificate(error.cert)
      ? error.cert.subjectaltname.replaceAll(/\b(DNS|IP Address):/g, '')
      : null;
  const others = names === null || names.length > 200 ? '' : `; it is for ${names}`;
  return { reason: `its certificate is not for ${hostname}${others}`, hint: CHECK_ADDRESS };
}

function isCertificate(value: unknown): value is { readonly subjectaltname: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'subjectaltname' in value &&
    typeof value.subjectaltname === 'string'
  );
}
