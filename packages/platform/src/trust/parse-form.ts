// Parses the body of a token exchange (RFC 6749, appendix B).
import { failure } from '../failure.ts';

/** Returns the parameters by name. An empty one counts as absent (RFC 6749, section 3.2). Throws `invalid_input` for a repeated one. */
export function parseForm(body: string): Record<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (parameters.has(name)) {
      const message = `The parameter "${name}" is repeated. Send it once`;
      throw failure('invalid_input', message, { details: [{ path: `/${name}`, message }] });
    }
    parameters.set(name, value);
  }
  return Object.fromEntries([...parameters].filter(([, value]) => value !== ''));
}
