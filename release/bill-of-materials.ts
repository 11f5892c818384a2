// The bill of materials: what the release contains, as CycloneDX. npm writes it from the lockfile, and this file keeps what is shipped.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { ROOT } from '../scripts/workspaces.ts';

type Component = { readonly 'bom-ref': string; readonly purl: string };
type Bom = {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

export type Contents = {
  /** What the release contains, each as `name@version`. */
  readonly shipped: ReadonlySet<string>;
  /** Packages that are installed with it. Those that they depend on are listed, too. */
  readonly installed: ReadonlySet<string>;
  readonly version: string;
  readonly time: Date;
};

/** Returns the text of the bill. Throws if something is not in the lockfile. */
export function billOfMaterials({ shipped, installed, version, time }: Contents): string {
  const { metadata, components, dependencies, ...rest } = readLockfile();
  const wanted = new Set([...shipped, ...reachedFrom(installed, dependencies)]);
  const listed = components.filter((one) => wanted.has(one['bom-ref']));
  const found = new Set(listed.map((one) => one['bom-ref']));
  const missing = [...wanted].filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`Not in package-lock.json: ${missing.join(', ')}`);
  const root = { ...metadata.component, name: 'svc', type: 'application' };
  const inside = new Set([root['bom-ref'], ...found]);
  const bom = {
    ...rest,
    serialNumber: '',
    metadata: {
      timestamp: time.toISOString(),
      lifecycles: [{ phase: 'build' }],
      tools: [{ vendor: 'svc', name: 'npm run release', version }],
      component: root,
    },
    components: listed,
    dependencies: dependencies
      .filter(({ ref }) => inside.has(ref))
      .map(({ ref, dependsOn }) => ({
        ref,
        dependsOn: dependsOn.filter((one) => inside.has(one)),
      })),
  };
  return `${JSON.stringify({ ...bom, serialNumber: serialNumber(JSON.stringify(bom)) }, null, 2)}\n`;
}

/** The packages and all that they depend on, directly or indirectly. */
function reachedFrom(start: Iterable<string>, dependencies: Bom['dependencies']): Set<string> {
  const reached = new Set(start);
  for (const name of reached) {
    for (const next of dependencies.find(({ ref }) => ref === name)?.dependsOn ?? []) {
      reached.add(next);
    }
  }
  return reached;
}

function readLockfile(): Bom {
  const kinds = ['--include=dev', '--include=optional', '--include=peer'];
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', ...kinds];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`);
  return JSON.parse(stdout);
}

/** A UUID of version 8 (RFC 9562, section 5.8) that depends on the contents only. */
function serialNumber(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  const parts = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ] as const;
  return `urn:uuid:${parts.map(([from, to]) => hex.slice(from, to)).join('-')}`;
}
