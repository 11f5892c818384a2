// Certificates for TLS servers of tests, created on demand: valid, expired, self-signed, for another name.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

export type Certificate = { readonly key: string; readonly cert: string };

export type Certificates = {
  /** File with the issuer's certificate, for `NODE_EXTRA_CA_CERTS`. */
  readonly caFile: string;
  /** For `platform.test`, 127.0.0.1 and 0.0.0.0. */
  readonly good: Certificate;
  readonly expired: Certificate;
  /** For `other.test`. */
  readonly otherName: Certificate;
  readonly selfSigned: Certificate;
};

/** Runs the test if openssl is installed, with its own certificates in `folder(t)`. */
export function testWithTls(
  name: string,
  folder: (t: TestContext) => string,
  work: (t: TestContext, certificates: Certificates, folder: string) => Promise<void>,
): void {
  test(name, async (t) => {
    if (spawnSync('openssl', ['version']).status !== 0) return t.skip('openssl is not installed');
    const place = folder(t);
    await work(t, makeCertificates(place), place);
  });
}

function makeCertificates(folder: string): Certificates {
  const caFile = join(folder, 'ca.pem');
  selfSign(folder, 'ca', 'Test issuer');
  const good = 'subjectAltName=DNS:platform.test,IP:127.0.0.1,IP:0.0.0.0';
  return {
    caFile,
    good: issue(folder, 'good', good, 30),
    expired: issue(folder, 'expired', good, -1),
    otherName: issue(folder, 'other', 'subjectAltName=DNS:other.test', 30),
    selfSigned: selfSign(folder, 'self', 'platform.test'),
  };
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function selfSign(folder: string, name: string, subject: string): Certificate {
  openssl(folder, ['req', '-x509', ...KEY, '-subj', `/CN=${subject}`, '-days', '30'], {
    '-keyout': `${name}.key`,
    '-out': `${name}.pem`,
  });
  return read(folder, name);
}

function issue(folder: string, name: string, extension: string, days: number): Certificate {
  const request = { '-keyout': `${name}.key`, '-out': `${name}.csr` };
  openssl(folder, ['req', ...KEY, '-subj', `/CN=${name}`], request);
  writeFileSync(join(folder, `${name}.ext`), `${extension}\n`);
  openssl(folder, ['x509', '-req', '-CAcreateserial', '-days', String(days)], {
    '-CA': 'ca.pem',
    '-CAkey': 'ca.key',
    '-in': `${name}.csr`,
    '-extfile': `${name}.ext`,
    '-out': `${name}.pem`,
  });
  return read(folder, name);
}

function openssl(folder: string, args: string[], files: Readonly<Record<string, string>>): void {
  const result = spawnSync('openssl', [...args, ...Object.entries(files).flat()], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`openssl failed: ${result.stderr}`);
}

function read(folder: string, name: string): Certificate {
  return {
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
    cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
  };
}
