// Which provider has a key, and from where: the environment first, then the OS keyring. No key is ever told.
import type { Capability, Provider } from '@svc/contracts/agent';
import { quoted } from '@svc/contracts/faults';
import { ApiError } from '@svc/serve';
import { keyringMissing } from '../keyring/keyring.ts';
import type { AskedKeyring, AskKeyring } from '../keyring/keyring-process.ts';
import type { KeyringAnswer, KeyringOperation } from '../keyring/keyring-thread.ts';
import { type KnownProvider, PROVIDERS, providerOf } from './known-providers.ts';

export type ProviderKeysOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly providerUrl: string | null;
  /** Starts a keyring operation; see `keyringAsker`. */
  readonly askKeyring: AskKeyring;
  /** Hears when Status has something new to tell. */
  readonly onChange: () => void;
};

export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  readonly #inKeyring = new Set<string>();
  /** Stored or removed here, which is newer than what `look` finds. */
  readonly #changed = new Set<string>();
  readonly #underWay = new Set<AskedKeyring>();
  #keyring: Capability;
  /** How many operations were asked, and the latest of them that `#keyring` tells of. */
  #asked = 0;
  #told = 0;
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
   * Looks once which providers have a key in the keyring, so that Status can tell; again where the keyring could not be asked.
   * Never rejects.
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
      // `#ask` has noted why; the capability tells it
      this.#looked = null;
    }
    this.#options.onChange();
  }

  /** The key to send with a request; null where none is needed. Throws `provider_key_missing`. */
  async keyFor(provider: KnownProvider): Promise<string | null> {
    const fromEnv = this.#fromEnv(provider);
    if (fromEnv !== null) return fromEnv;
    const { id, keyless, variable } = provider;
    // One on this machine may want a key that was stored for it; one that takes none is not worth a question.
    if (keyless && variable !== null) await this.look();
    if (keyless && !this.#inKeyring.has(id)) return null;
    const kept = await this.#fromKeyring(id);
    if (typeof kept === 'string') return kept;
    if (keyless) return null;
    const why = this.#keyring.available ? '' : ` (${this.#keyring.reason})`;
    throw new ApiError(
      'provider_key_missing',
      `Cannot ask ${id}: there is no key for it${why}; set ${variable}, or store one in the keyring`,
    );
  }

  /** Puts a key into the keyring. Throws `invalid_input` for an unknown provider, `keyring_*`. */
  async store(provider: string, key: string): Promise<void> {
    this.#refuseUnknown(provider);
    await this.#ask({ do: 'store', provider, key });
    this.#changed.add(provider);
    this.#inKeyring.add(provider);
    this.#options.onChange();
  }

  /** Takes a key out of the keyring; one in the environment stays. Throws as `store`. */
  async remove(provider: string): Promise<void> {
    this.#refuseUnknown(provider);
    await this.#ask({ do: 'remove', provider });
    this.#changed.add(provider);
    this.#inKeyring.delete(provider);
    this.#options.onChange();
  }

  /** Gives up what is still asked. */
  release(): void {
    this.#released = true;
    for (const asked of this.#underWay) asked[Symbol.dispose]();
  }

  /** The provider of a `model` as the API takes it. Throws `invalid_input`. */
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
    throw new ApiError(
      'invalid_input',
      `The model${quoted(model)} names no known provider. Write it as PROVIDER/MODEL. Known providers: ${names.join(', ')}`,
    );
  }

  /** The person's own provider, where they gave an address. */
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

  /** Asks anew each time: a keyring that was locked may be open by now. Null where it can't be asked. */
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
    throw new ApiError(
      'invalid_input',
      `The provider${quoted(provider)} is unknown. Allowed: ${known}`,
    );
  }

  /** Asks the keyring, and notes why it can't be used. */
  async #ask(operation: KeyringOperation): Promise<readonly string[] | string | null> {
    const missing = keyringMissing(this.#options.env);
    if (missing !== null) throw new ApiError('keyring_unavailable', missing);
    const number = ++this.#asked;
    const answer = await this.#askOnce(operation);
    const refused = 'code' in answer;
    // Operations overlap: the answer to an older one says nothing over that to a newer one.
    if (number > this.#told) {
      this.#told = number;
      this.#keyring = refused ? { available: false, reason: answer.message } : { available: true };
    }
    if (refused) throw new ApiError(answer.code, answer.message);
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
