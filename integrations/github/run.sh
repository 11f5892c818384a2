#!/usr/bin/env bash
# Runs svc for the action. The inputs are in variables; GITHUB_OUTPUT and GITHUB_STEP_SUMMARY name the files of the runner.
set -euo pipefail

fail() {
  printf '::error::%s\n' "$1"
  exit 2
}

# Adds an option if its value is not empty.
option() {
  if [ -n "$2" ]; then arguments+=("$1" "$2"); fi
}

check() {
  arguments=()
  if [ "$RUN" = true ]; then arguments+=(--run); fi
  if [ -n "$BUILD" ]; then arguments+=("$BUILD"); fi
  svc check "${arguments[@]}"
}

record() {
  arguments=(--headless -o "$TRACE")
  option --input "$INPUT"
  option --seconds "$SECONDS_TO_RECORD"
  svc record "${BUILD:-.}" "${arguments[@]}"
  svc trace report "$TRACE" -o "$REPORT" --markdown >>"$GITHUB_STEP_SUMMARY"
  [ -n "$AGAINST" ] || return 0
  arguments=()
  # Several limits are separated by spaces.
  read -ra limits <<<"$FAIL_ON"
  for limit in "${limits[@]}"; do arguments+=(--fail-on "$limit"); done
  svc trace diff "$AGAINST" "$TRACE" "${arguments[@]}"
}

publish() {
  arguments=(--json)
  option --version "$VERSION"
  option --notes "$NOTES"
  if [ "$COMMAND" = preview ]; then
    [ -n "$PREVIEW" ] || fail 'preview needs the name of the link, in the input preview.'
    arguments+=(--preview "$PREVIEW")
  elif [ "$DRY_RUN" = true ]; then
    arguments+=(--dry-run)
  fi
  if [ -n "$BUILD" ]; then arguments+=("$BUILD"); fi
  document=${RUNNER_TEMP:-/tmp}/svc-$COMMAND.json
  code=0
  svc publish "${arguments[@]}" >"$document" || code=$?
  printf 'document=%s\n' "$document" >>"$GITHUB_OUTPUT"
  # Only addresses and the version, which have no line breaks.
  node "$GITHUB_ACTION_PATH/read-document.mjs" "$document" >>"$GITHUB_OUTPUT"
  exit "$code"
}

end_preview() {
  [ -n "$PREVIEW" ] || fail 'end-preview needs the name of the link, in the input preview.'
  code=0
  svc preview revoke "$PREVIEW" || code=$?
  # 5: there is no such link.
  [ "$code" = 5 ] || exit "$code"
}

cd -- "$DIRECTORY"
if [ -n "$API" ]; then export SVC_API=$API; fi
if [ -n "$TOKEN" ]; then export SVC_TOKEN=$TOKEN; fi
case $COMMAND in
  check) check ;;
  record) record ;;
  publish | preview) publish ;;
  end-preview) end_preview ;;
  *) fail "There is no command \"$COMMAND\". Use check, record, publish, preview or end-preview." ;;
esac
