# Prints what zsh offers for a command line: complete.zsh SCRIPT 'svc tr'
# zsh completes only in its line editor. So a second zsh runs on a pseudo-terminal with the script loaded, and a wrapped
# `compadd` writes the candidates to a file.
zmodload zsh/zpty
script=$1 line=$2 out=$1.out
zpty inner "PS1= zsh -f -i"
zpty -w inner "stty -echo; PROMPT=; autoload -Uz compinit; compinit -u -D; source ${(q)script}"
zpty -w inner 'compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a found
  builtin compadd -A found "$@"
  (( $#found )) && print -rl -- $found >>'${(q)out}'
  builtin compadd "$@"
}'
zpty -w inner "finished() { print -r -- \"END\"\"ED\" >>${(q)out}.end; BUFFER=; zle .accept-line }; zle -N finished"
zpty -w inner "bindkey '^I' complete-word; bindkey '^X' finished; setopt no_beep; print RE''ADY"
zpty -r inner seen '*READY*'
zpty -w -n inner "$line"$'\t\x18'
while [[ ! -e $out.end ]]; do zpty -r -t inner seen || sleep 0.02; done
zpty -d inner
[[ -f $out ]] && { sort -u $out; rm $out }
rm $out.end
exit 0
