// Writes the completion script for zsh.
import type { OptionNode, PlaceNode } from './tree.ts';

export function formatZsh(places: readonly PlaceNode[]): string {
  return `#compdef svc
# Completions of svc for zsh. Load them, after compinit, with: source <(svc completion zsh)
${places.map(formatPlace).join('\n')}
compdef ${functionName('')} svc
`;
}

function formatPlace(place: PlaceNode): string {
  const name = functionName(place.path);
  const options = place.options.flatMap(formatOption);
  return place.words.length > 0
    ? formatGroup(name, place, options)
    : `${name}() {
  _arguments -S ${[...options, ...place.values.map(formatValue)].join(' \\\n    ')}
}`;
}

function formatGroup(name: string, place: PlaceNode, options: readonly string[]): string {
  const next = place.words.map(
    (word) =>
      `      ${word.name}) ${place.path === 'help' ? '' : functionName(`${place.path} ${word.name}`.trim())} ;;`,
  );
  return `${name}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -S ${[...options, "'1: :->word'", "'*:: :->rest'"].join(' \\\n    ')}
  case "$state" in
    word)
      local -a words_here=(${place.words.map((word) => quote(`${word.name}:${word.help}`)).join(' ')})
      _describe -t commands command words_here ;;
    rest)
      case "$line[1]" in
${next.join('\n')}
      esac ;;
  esac
}`;
}

function formatOption(option: OptionNode): string[] {
  const value = option.value === null ? '' : `:value:${action(option.value)}`;
  const help = option.help.replaceAll(/[[\]:]/g, (char) => `\\${char}`);
  return option.names.map((name) => quote(`(${option.names.join(' ')})${name}[${help}]${value}`));
}

function formatValue(value: Exclude<OptionNode['value'], null>, at: number): string {
  return quote(`${at + 1}:value:${action(value)}`);
}

function action(value: Exclude<OptionNode['value'], null>): string {
  if (value.kind === 'none') return ' ';
  if (value.kind === 'words') return `(${value.words.join(' ')})`;
  if (value.kind === 'folder') return '_files -/';
  return '_files';
}

function functionName(path: string): string {
  return path === '' ? '_svc' : `_svc_${path.replaceAll(/[ -]/g, '_')}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
