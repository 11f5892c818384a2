// Rewrites commander's messages about wrong usage as plain sentences, with the value quoted and the accepted values.
import { quoted } from '@svc/contracts/faults';

type Rewrite = readonly [pattern: RegExp, sentence: (...groups: string[]) => string];

const REWRITES: readonly Rewrite[] = [
  [
    /^option '([^']*)' argument '([\s\S]*)' is invalid\. ([\s\S]*)$/,
    (flags = '', value = '', reason = '') =>
      `The value${quoted(value)} of ${longFlag(flags)} is not valid. ${allowed(reason)}`,
  ],
  [
    /^command-argument value '([\s\S]*)' is invalid for argument '([^']*)'\. ([\s\S]*)$/,
    (value = '', name = '', reason = '') =>
      `The value${quoted(value)} of ${name} is not valid. ${allowed(reason)}`,
  ],
  [
    /^option '([^']*)' argument missing$/,
    (flags = '') => `The option ${longFlag(flags)} has no value. Write ${flags}`,
  ],
  [
    /^required option '([^']*)' not specified$/,
    (flags = '') => `The option ${longFlag(flags)} is missing. Add ${flags}`,
  ],
  [/^missing required argument '([^']*)'$/, (name = '') => `The argument ${name} is missing`],
];

/** Rewrites one message of commander, given without its `error:` prefix. Returns it unchanged if no pattern fits. */
export function describeUsage(message: string): string {
  for (const [pattern, sentence] of REWRITES) {
    const match = pattern.exec(message);
    if (match !== null) return sentence(...match.slice(1).map((group) => group ?? ''));
  }
  return message;
}

/** `--out` of `-o, --out <OUT>`. */
function longFlag(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

function allowed(reason: string): string {
  return reason.replace(/^Allowed choices are /, 'Allowed: ');
}
