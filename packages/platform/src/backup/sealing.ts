// Encryption of the parts of a backup with age (https://age-encryption.org/v1).
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { messageOf } from '@svc/contracts/caught';
import { Decrypter, Encrypter } from 'age-encryption';
import { writeStream } from '../files/write-stream.ts';
import { BackupFault } from './backup-fault.ts';

/** Encrypts files for recipients. */
export type Seal = {
  /** Names the set of recipients. Files for other recipients have other names, so they are never mistaken for these. */
  readonly name: string;
  /** Writes the encrypted form of a file to a new file. */
  encrypt(path: string, sealedPath: string): Promise<void>;
};

/** Decrypts a stream. */
export type Unseal = (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

const SECRET = /^AGE-SECRET-KEY-/i;
const NO_MATCH = /no identity matched/;

/** Creates a seal for the recipients (`age1…`), of which each alone can decrypt. Null if there are none. Throws if one is invalid. */
export function createSeal(recipients: readonly string[]): Seal | null {
  const sorted = [...new Set(recipients)].sort();
  if (sorted.length === 0) return null;
  const encrypter = new Encrypter();
  for (const recipient of sorted) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      if (SECRET.test(recipient)) {
        // The message must not contain the secret.
        throw new Error(
          'A recipient is the secret key of age. Use the public key, which begins with age1. age-keygen -y prints it',
        );
      }
      throw new Error(
        `"${recipient}" is not a recipient of age. It begins with age1, and age-keygen prints it`,
      );
    }
  }
  return {
    name: createHash('sha256').update(sorted.join('\n')).digest('hex').slice(0, 16),
    async encrypt(path, sealedPath) {
      const sealed = await encrypter.encrypt(toWeb(createReadStream(path)));
      await writeStream(fromWeb(sealed), sealedPath, () => {});
    },
  };
}

/** Creates the decryption with identities (`AGE-SECRET-KEY-…`). Throws if one is invalid. */
export function createUnseal(identities: readonly string[]): Unseal {
  const decrypter = new Decrypter();
  for (const identity of identities) {
    try {
      decrypter.addIdentity(identity);
    } catch {
      // The message must not contain the secret.
      throw new Error(
        'The file of --identity has a line that is not an identity of age. It begins with AGE-SECRET-KEY-',
      );
    }
  }
  return async function* unseal(source) {
    // A source that cannot be read is not a damaged file.
    const failures: unknown[] = [];
    const watched = async function* watch(): AsyncGenerator<Buffer> {
      try {
        yield* source;
      } catch (error) {
        failures.push(error);
        throw error;
      }
    };
    try {
      yield* fromWeb(await decrypter.decrypt(toWeb(Readable.from(watched()))));
    } catch (error) {
      if (failures.length > 0) throw failures[0];
      if (NO_MATCH.test(messageOf(error))) {
        throw new Error(
          'Cannot decrypt the backup: it was made for other recipients. Name the file of their identity with --identity',
        );
      }
      throw new BackupFault('it cannot be decrypted', { cause: error });
    }
  };
}

function toWeb(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}

async function* fromWeb(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield Buffer.from(chunk);
}
