// Reads single settings from the environment and collects their faults.

export type Environment = Readonly<Record<string, string | undefined>>;

export type SettingReader = {
  /** Returns the value without spaces around it; null if it is unset or empty. */
  text(name: string): string | null;
  /** As `text`. Adds a fault with `wanted` for an invalid value. */
  check(name: string, wanted: string, isValid: (value: string) => boolean): string | null;
  /** Returns a whole number, or `unset`. Adds a fault for a value that is outside of the bounds. */
  count(name: string, unset: number, bounds: readonly [least: number, most: number]): number;
};

/** Creates a reader that adds faults to the list, without values. */
export function createSettingReader(environment: Environment, faults: string[]): SettingReader {
  const text = (name: string): string | null => {
    const value = environment[name]?.trim();
    return value === undefined || value === '' ? null : value;
  };
  const check: SettingReader['check'] = (name, wanted, isValid) => {
    const value = text(name);
    if (value !== null && !isValid(value)) faults.push(`${name}: must be ${wanted}`);
    return value;
  };
  return {
    text,
    check,
    count(name, unset, [least, most]) {
      const isValid = (value: string): boolean =>
        /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most;
      return Number(check(name, `a whole number from ${least} to ${most}`, isValid) ?? unset);
    },
  };
}
