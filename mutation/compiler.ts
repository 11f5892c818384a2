// Asks the compiler whether a mutant passes the type check. A mutant that it rejects can't be merged, so no test needs to notice it.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { API, type Snapshot } from 'typescript/unstable/sync';

export class Compiler {
  readonly #root: string;
  readonly #changed = new Map<string, string>();
  readonly #projects = new Map<string, string | null>();
  readonly #opened = new Set<string>();
  readonly #sound = new Map<string, boolean>();
  readonly #api: API;
  #snapshot: Snapshot | null = null;

  constructor(root: string) {
    this.#root = root;
    this.#api = new API({ cwd: root, fs: { readFile: (path) => this.#changed.get(path) } });
  }

  /** Whether the file has type or syntax errors with this text, and none without it. */
  rejects(file: string, text: string): boolean {
    const path = join(this.#root, file);
    const project = this.#projectOf(path);
    if (project === null) return false;
    let sound = this.#sound.get(path);
    if (sound === undefined) {
      sound = !this.#hasErrors(project, path);
      this.#sound.set(path, sound);
    }
    if (!sound) return false;
    this.#changed.set(path, text);
    const refused = this.#hasErrors(project, path);
    this.#changed.delete(path);
    return refused;
  }

  close(): void {
    this.#api.close();
  }

  #hasErrors(project: string, path: string): boolean {
    // An open project is kept, because opening it again would read all its files again.
    const opens = this.#opened.has(project) ? {} : { openProjects: [project] };
    this.#opened.add(project);
    const before = this.#snapshot;
    this.#snapshot = this.#api.updateSnapshot({ ...opens, fileChanges: { changed: [path] } });
    // Closed after the new one is open, because the new one reuses unchanged data.
    before?.dispose();
    const program = this.#snapshot.getProject(project)?.program;
    if (program === undefined) return false;
    return (
      program.getSyntacticDiagnostics(path).length > 0 ||
      program.getSemanticDiagnostics(path).length > 0
    );
  }

  /** The nearest tsconfig.json in a folder above the file, up to the root; null if there is none. */
  #projectOf(path: string): string | null {
    const folder = dirname(path);
    let project = this.#projects.get(folder);
    if (project === undefined) {
      const here = join(folder, 'tsconfig.json');
      const isTop = folder === this.#root || folder === dirname(folder);
      project = existsSync(here) ? here : isTop ? null : this.#projectOf(folder);
      this.#projects.set(folder, project);
    }
    return project;
  }
}
