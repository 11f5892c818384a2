// Loaded into a process with `--import`, which then takes this system for macOS. Its paths are the same.
Object.defineProperty(process, 'platform', { value: 'darwin' });
