// Writes the completion script for bash 3.2 and newer. It does not need the package bash-completion.
import type { OptionNode, PlaceNode } from './tree.ts';

export function formatBash(places: readonly PlaceNode[]): string {
  return `# Completions of svc for bash. Load them with: source <(svc completion bash)
_svc() {
  local cur=\${COMP_WORDS[COMP_CWORD]} place="" word previous="" at=1 values=0
  COMPREPLY=()
  while [ "$at" -lt "$COMP_CWORD" ]; do
    word=\${COMP_WORDS[at]}
    at=$((at + 1))
    if [ -n "$previous" ]; then previous=""; continue; fi
    case "$place $word" in
${cases(places.flatMap(takesValuePatterns), 'previous=$word')}
      *" -"*) ;;
${places.flatMap(steps).join('\n')}
      *) values=$((values + 1)) ;;
    esac
  done
  if [ -n "$previous" ]; then
    case "$place $previous" in
${places.flatMap(optionValueCases).join('\n')}
    esac
    return
  fi
  case "$cur" in
    -*)
      case "$place" in
${places.map((place) => `        ${quote(place.path)}) COMPREPLY=($(compgen -W ${quote(optionNames(place))} -- "$cur")) ;;`).join('\n')}
      esac
      return ;;
  esac
  case "$place/$values" in
${places.flatMap(placeCases).join('\n')}
  esac
}
complete -o filenames -F _svc svc
`;
}

function cases(patterns: readonly string[], body: string): string {
  return patterns.length === 0 ? '' : `      ${patterns.join('|')}) ${body} ;;`;
}

function takesValuePatterns(place: PlaceNode): string[] {
  return place.options
    .filter((option) => option.value !== null)
    .flatMap((option) => option.names.map((name) => quote(`${place.path} ${name}`)));
}

/** The words that lead to another place. */
function steps(place: PlaceNode): string[] {
  return place.words.map((word) => {
    const next = place.path === '' ? word.name : `${place.path} ${word.name}`;
    return `      ${quote(`${place.path} ${word.name}`)}) place=${quote(next)} ;;`;
  });
}

function optionNames(place: PlaceNode): string {
  return place.options.flatMap((option) => option.names).join(' ');
}

function optionValueCases(place: PlaceNode): string[] {
  return place.options.flatMap((option) => {
    const action = valueAction(option.value);
    if (action === null) return [];
    const patterns = option.names.map((name) => quote(`${place.path} ${name}`)).join('|');
    return [`      ${patterns}) ${action} ;;`];
  });
}

function placeCases(place: PlaceNode): string[] {
  const words = place.words.map((word) => word.name).join(' ');
  if (words !== '') {
    return [
      `    ${quote(`${place.path}/0`)}) COMPREPLY=($(compgen -W ${quote(words)} -- "$cur")) ;;`,
    ];
  }
  return place.values.flatMap((value, at) => {
    const action = valueAction(value);
    return action === null ? [] : [`    ${quote(`${place.path}/${at}`)}) ${action} ;;`];
  });
}

/** Shell code that fills COMPREPLY for a value. Null if there is nothing to offer. File names with spaces stay whole. */
function valueAction(value: OptionNode['value']): string | null {
  if (value === null || value.kind === 'none') return null;
  if (value.kind === 'words') {
    return `COMPREPLY=($(compgen -W ${quote(value.words.join(' '))} -- "$cur"))`;
  }
  const kind = value.kind === 'folder' ? '-d' : '-f';
  return `local IFS=$'\\n'; COMPREPLY=($(compgen ${kind} -- "$cur"))`;
}

function quote(text: string): string {
  return `"${text}"`;
}
