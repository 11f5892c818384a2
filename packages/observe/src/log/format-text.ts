// A line of the log as text for a terminal.

/** A line as pino writes it. */
type Line = { readonly level: string; readonly time: string; readonly msg: string } & Readonly<
  Record<string, unknown>
>;

type Fields = Readonly<Record<string, unknown>>;

/** Words before the message. The levels without one are usual. */
const WORDS: Readonly<Record<string, string>> = { warn: 'warning: ', error: 'internal error: ' };

/** Control characters but the tab. A terminal would execute them, and a line break would begin a line that looks like another. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;

/** Converts a JSON line to text: time of the day (local), message, fields. A stack has lines of its own. */
export function formatText(json: string): string {
  const { level, time, msg, error, ...fields } = JSON.parse(json) as Line;
  const clock = new Date(time).toTimeString().slice(0, 8);
  const what = msg === 'request' ? describeRequest(fields) : msg + describeFields(fields);
  const stack = error === undefined ? [] : String(error).split('\n');
  const lines = [`${clock} ${WORDS[level] ?? ''}${what}`, ...stack];
  return `${lines.map((line) => line.replace(CONTROLS, '\ufffd')).join('\n')}\n`;
}

/** Such as `GET /me 200, 1.5 ms, 300 B request_id=…`. */
function describeRequest({ method, route, status, ms, bytes, ...rest }: Fields): string {
  return `${method} ${route} ${status}, ${ms} ms, ${bytes} B${describeFields(rest)}`;
}

function describeFields(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => ` ${name}=${String(value)}`)
    .join('');
}
