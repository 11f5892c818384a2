// Whether the command line changed so that scripts that were written for the one before fail.
import type { Change } from './compare-schemas.ts';

export type Command = {
  /** Its words, such as `trace report`. */
  readonly name: string;
  /** `<FILE>` if it is required, `[FILE]` if it is optional, `[FILE...]` if it may be repeated. */
  readonly arguments: readonly string[];
  readonly options: readonly {
    /** As in the help: `-o, --out <OUT>`. */
    readonly flags: string;
    readonly required: boolean;
    readonly choices: readonly string[] | null;
  }[];
  /** The document that `--json` writes, if it writes one. */
  readonly document: string | null;
  /** Whether it writes the document once for each event. */
  readonly streaming: boolean;
};

/** Returns the changes from one list of commands to the other that break scripts. */
export function compareCommands(before: readonly Command[], after: readonly Command[]): Change[] {
  return before.flatMap((old) => {
    const where = `svc ${old.name}`;
    const now = after.find(({ name }) => name === old.name);
    if (now === undefined) return [{ where, what: 'is gone' }];
    const hasDocument = old.document === now.document && old.streaming === now.streaming;
    return [
      ...(old.document === null || hasDocument
        ? []
        : [{ where, what: '--json writes something else' }]),
      ...compareArguments(old, now, where),
      ...compareOptions(old, now, where),
    ];
  });
}

function compareArguments(old: Command, now: Command, where: string): Change[] {
  const names = old.arguments.map(nameOf);
  const lost = old.arguments.flatMap((one, index): Change[] => {
    const next = now.arguments[index];
    if (next === undefined) return [{ where, what: `takes no ${one}` }];
    // Another name alone changes nothing.
    if (nameOf(next) !== nameOf(one) && names.includes(nameOf(next))) {
      return [{ where, what: `takes ${next} where it took ${one}` }];
    }
    if (one.startsWith('[') && next.startsWith('<')) {
      return [{ where, what: `${next} is required now` }];
    }
    return one.includes('...') && !next.includes('...')
      ? [{ where, what: `takes only one ${next}` }]
      : [];
  });
  const added = now.arguments.slice(old.arguments.length).filter((one) => one.startsWith('<'));
  return [...lost, ...added.map((one) => ({ where, what: `${one} is required now` }))];
}

function nameOf(argument: string): string {
  return argument.replaceAll(/[^A-Z_]/g, '');
}

type Option = Command['options'][number];

function compareOptions(old: Command, now: Command, where: string): Change[] {
  const changes = old.options.flatMap((one) =>
    spellingsOf(one).flatMap((spelling): Change[] => {
      const at = `${where} ${spelling}`;
      const next = now.options.find((other) => spellingsOf(other).includes(spelling));
      if (next === undefined) return [{ where: at, what: 'is gone' }];
      const lost = (one.choices ?? []).filter((word) => next.choices?.includes(word) === false);
      return [
        ...(kindOfValue(one) === kindOfValue(next)
          ? []
          : [{ where: at, what: changedValue(next) }]),
        ...(next.required && !one.required ? [{ where: at, what: 'is required now' }] : []),
        ...(one.choices === null && next.choices !== null
          ? [{ where: at, what: `accepts only ${next.choices.join(', ')}` }]
          : []),
        ...lost.map((word) => ({ where: at, what: `no longer accepts ${word}` })),
      ];
    }),
  );
  const known = old.options.flatMap(spellingsOf);
  const added = now.options.filter(
    (one) => one.required && !spellingsOf(one).some((spelling) => known.includes(spelling)),
  );
  return [
    ...changes,
    ...added.map(({ flags }) => ({ where: `${where} ${flags}`, what: 'is required now' })),
  ];
}

function spellingsOf({ flags }: Option): string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith('-'));
}

/** Whether the option takes a value, and how many. The name of the value says nothing. */
function kindOfValue({ flags }: Option): string {
  const [, open, more = ''] = /([<[])[^.>\]]*(\.\.\.)?/.exec(flags) ?? [];
  return open === undefined ? 'none' : `${open}${more}`;
}

function changedValue(next: Option): string {
  return kindOfValue(next) === 'none' ? 'takes no value' : `takes a value: ${next.flags}`;
}
