// Finds out which providers have a key, in the environment or in the OS keyring. Keys are never
// reported.
import type { Capability, Provider } from '@svc/contracts/agent';
import { quoted } from '@svc/contracts/faults';
import { ApiError } from '@svc/serve';
import { failure } from '../failure.ts';
import { keyringMissing } from '../keyring/keyring.ts';
import type { AskedKeyring, AskKeyring } from '../keyring/keyring-process.ts';
import type { KeyringAnswer, KeyringOperation } from '../keyring/keyring-thread.ts';
import { type KnownProvider, PROVIDERS, providerOf } from './known-providers.ts';

export type ProviderKeysOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly providerUrl: string | null;
  /** Starts a keyring operation. See `keyringAsker`. */
  readonly askKeyring: AskKeyring;
  /** Called when the status of keys or of the keyring changes. */
  readonly onChange: () => void;
};

export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  readonly #inKeyring = new Set<string>();
  /** Providers whose key was stored or removed here. This is newer than a result of `look`. */
  readonly #changed = new Set<string>();
  readonly #underWay = new Set<AskedKeyring>();
  #keyring: Capability;
  /** The number of operations so far, and the number of the one that `#keyring` describes. */
  #asked = 0;
  #latest = 0;
  #looked: Promise<void> | null = null;
  #released = false;

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
    const reason = keyringMissing(options.env);
    this.#keyring = reason === null ? { available: true } : { available: false, reason };
  }

  get keyring(): Capability {
    return this.#keyring;
  }

  get providers(): Provider[] {
    return this.#known().map((provider) => ({
      id: provider.id,
      host: new URL(provider.url).host,
      key: this.#sourceOf(provider),
    }));
  }

  /**
   * Looks up once which providers have a key in the keyring, for the status. It looks again if the
   * keyring could not be asked. Never rejects.
   */
  look(): Promise<void> {
    this.#looked ??= this.#lookThrough();
    return this.#looked;
  }

  async #lookThrough(): Promise<void> {
    const providers = this.#known()
      .filter((provider) => this.#fromEnv(provider) === null)
      .map(({ id }) => id);
    if (providers.length === 0) return;
    try {
      const found = await this.#ask({ do: 'find', providers });
      for (const provider of Array.isArray(found) ? found : []) {
        if (!this.#changed.has(provider)) this.#inKeyring.add(provider);
      }
    } catch {
      // `#ask` has recorded the reason in the capability
      this.#looked = null;
    }
    this.#options.onChange();
  }

  /**
   * The key to send with a request. Null if the provider needs none. Throws `provider_key_missing`.
   */
  async keyFor(provider: KnownProvider): Promise<string | null> {
    const fromEnv = this.#fromEnv(provider);
    if (fromEnv !== null) return fromEnv;
    const { id, keyless, variable } = provider;
    // A custom server on this machine may need a key that was stored for it. Ollama never needs
    // one.
    if (keyless && variable !== null) await this.look();
    if (keyless && !this.#inKeyring.has(id)) return null;
    const kept = await this.#fromKeyring(id);
    if (typeof kept === 'string') return kept;
    if (keyless) return null;
    const why = this.#keyring.available ? '' : ` (${this.#keyring.reason})`;
    throw failure(
      'provider_key_missing',
      `Cannot ask ${id}: there is no key for it${why}; set ${variable}, or store one in the keyring`,
    );
  }

  /**
   * Stores a key in the keyring. Throws `invalid_input` for an unknown provider, and the
   * `keyring_*` codes.
   */
  async store(provider: string, key: string): Promise<void> {
    this.#refuseUnknown(provider);
    await this.#ask({ do: 'store', provider, key });
    this.#changed.add(provider);
    this.#inKeyring.add(provider);
    this.#options.onChange();
  }

  /**
   * Removes a key from the keyring. A key in the environment remains. Throws the codes of `store`.
   */
  async remove(provider: string): Promise<void> {
    this.#refuseUnknown(provider);
    await this.#ask({ do: 'remove', provider });
    this.#changed.add(provider);
    this.#inKeyring.delete(provider);
    this.#options.onChange();
  }

  /** Abandons all running operations. */
  release(): void {
    this.#released = true;
    for (const asked of this.#underWay) asked[Symbol.dispose]();
  }

  /** Resolves the `model` of a request to a provider and its model. Throws `invalid_input`. */
  modelOf(model: string): { provider: KnownProvider; id: string } {
    const slash = model.indexOf('/');
    const provider = slash < 0 ? null : providerOf(model.slice(0, slash), this.#known());
    if (provider !== null && model.length > slash + 1)
      return { provider, id: model.slice(slash + 1) };
    const withKey = this.#known().filter((one) => ['env', 'keyring'].includes(this.#sourceOf(one)));
    const [only, another] = withKey;
    if (slash < 0 && only !== undefined && another === undefined)
      return { provider: only, id: model };
    const names = this.#known().map(({ id }) => id);
    throw failure(
      'invalid_input',
      `The model${quoted(model)} names no known provider. Write it as PROVIDER/MODEL. Known providers: ${names.join(', ')}`,
    );
  }

  /** The user's own provider, if an address was given. */
  #custom(): KnownProvider | null {
    const { providerUrl } = this.#options;
    return providerUrl === null ? null : providerOf('custom', [], providerUrl);
  }

  #known(): KnownProvider[] {
    const custom = this.#custom();
    return custom === null ? [...PROVIDERS] : [...PROVIDERS, custom];
  }

  #fromEnv({ variable }: KnownProvider): string | null {
    const value = variable === null ? '' : (this.#options.env[variable] ?? '').trim();
    return value === '' ? null : value;
  }

  #sourceOf(provider: KnownProvider): Provider['key'] {
    if (this.#fromEnv(provider) !== null) return 'env';
    if (this.#inKeyring.has(provider.id)) return 'keyring';
    return provider.keyless ? 'not_needed' : 'none';
  }

  /**
   * Reads a key. It asks again each time, because a locked keyring may have been unlocked. Returns
   * null if the keyring can't be used.
   */
  async #fromKeyring(provider: string): Promise<string | null> {
    try {
      const key = await this.#ask({ do: 'read', provider });
      return typeof key === 'string' ? key : null;
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }

  #refuseUnknown(provider: string): void {
    if (provider === 'custom' || providerOf(provider, PROVIDERS) !== null) return;
    const known = [...PROVIDERS.map(({ id }) => id), 'custom'].join(', ');
    throw failure('invalid_input', `The provider${quoted(provider)} is unknown. Allowed: ${known}`);
  }

  /** Asks the keyring and records why it can't be used. */
  async #ask(operation: KeyringOperation): Promise<readonly string[] | string | null> {
    const missing = keyringMissing(this.#options.env);
    if (missing !== null) throw failure('keyring_unavailable', missing);
    const number = ++this.#asked;
    const answer = await this.#askOnce(operation);
    const refused = 'code' in answer;
    // Operations overlap. The answer to an older one must not replace the answer to a newer one.
    if (number > this.#latest) {
      this.#latest = number;
      this.#keyring = refused ? { available: false, reason: answer.message } : { available: true };
    }
    if (refused) throw failure(answer.code, answer.message);
    return answer.done;
  }

  async #askOnce(operation: KeyringOperation): Promise<KeyringAnswer> {
    if (this.#released) {
      return { code: 'keyring_unavailable', message: 'The session has ended' };
    }
    using asked = this.#options.askKeyring(operation);
    this.#underWay.add(asked);
    const answer = await asked.answer;
    this.#underWay.delete(asked);
    return answer;
  }
}
