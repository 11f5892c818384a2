// The version of this command, from its own package.json.
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
