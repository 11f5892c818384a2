// Prints the outputs of the action from the JSON document of svc publish, and the result for the log and the summary.
import { appendFileSync, readFileSync } from 'node:fs';

/** In a command of the runner, these would end it. */
const escaped = (text) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

function readDocument(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

const { error, release, game, url, preview, published, staged, verdict } = readDocument(
  process.argv[2],
);
if (error !== undefined) {
  const hint = error.hint === undefined ? '' : ` ${error.hint}`;
  process.stderr.write(`::error::${escaped(`${error.message}${hint}`)}\n`);
}
const play = preview?.url ?? game?.play_url;
const outputs = { page: preview == null ? url : undefined, play, version: release?.version };
for (const [name, value] of Object.entries(outputs)) {
  // Addresses and versions have no spaces. Another value could add outputs of its own.
  if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) {
    process.stdout.write(`${name}=${value}\n`);
  }
}
const result =
  error !== undefined
    ? null
    : verdict !== undefined
      ? `The platform accepts this build: ${verdict}.`
      : preview != null
        ? `[Play version ${release?.version}](${play})`
        : `Version ${release?.version} is ${published || !staged ? 'live' : 'staged'}: [page](${url}), [play](${play})`;
if (result !== null) {
  process.stderr.write(`${result}\n`);
  const summary = process.env.GITHUB_STEP_SUMMARY;
  if (summary !== undefined) appendFileSync(summary, `${result}\n`);
}
