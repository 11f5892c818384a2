// Writes the completion script for fish.
import type { OptionNode, PlaceNode } from './tree.ts';

export function formatFish(places: readonly PlaceNode[]): string {
  const groups = places.filter((place) => place.words.length > 0 && place.path !== '');
  return `# Completions of svc for fish. Keep them with: svc completion fish > ~/.config/fish/completions/svc.fish
function __svc_place
    set -l words (commandline -opc)
    set -e words[1]
    set -l place
    for word in $words
        string match -q -- '-*' $word; and continue
        set -a place $word
        contains -- "$place" ${groups.map((place) => quote(place.path)).join(' ')}; or break
    end
    test "$place" = "$argv[1]"
end
complete -c svc -f
${places.flatMap(formatPlace).join('\n')}
`;
}

function formatPlace(place: PlaceNode): string[] {
  const here = `complete -c svc -n ${quote(`__svc_place ${quote(place.path)}`)}`;
  const words = place.words.map((word) => `${here} -a ${quote(word.name)} -d ${quote(word.help)}`);
  const options = place.options.map((option) => `${here} ${formatOption(option)}`);
  const values = place.values.flatMap((value) => {
    const offered = offer(value);
    return offered === '' ? [] : [`${here} ${offered}`];
  });
  return [...words, ...options, ...new Set(values)];
}

function formatOption(option: OptionNode): string {
  const names = option.names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const value = option.value === null ? '' : ` -r ${offer(option.value)}`;
  return `${names.join(' ')} -d ${quote(option.help)}${value}`.trimEnd();
}

function offer(value: Exclude<OptionNode['value'], null>): string {
  if (value.kind === 'none') return '';
  if (value.kind === 'words') return `-a ${quote(value.words.join(' '))}`;
  if (value.kind === 'folder') return `-a '(__fish_complete_directories)'`;
  return '-F';
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
