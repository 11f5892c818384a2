// How the files of a release were made: a statement of provenance (https://slsa.dev/spec/v1.1/provenance).
import { lockedPackage } from './locked-packages.ts';

export type ProvenanceOptions = {
  /** The SHA-256 of each file, by its name. */
  readonly sums: ReadonlyMap<string, string>;
  /** The id of the commit in Git. Null if files differ from it. */
  readonly commit: string | null;
  /** Names of the systems with executables. */
  readonly systems: readonly string[];
  readonly address: string | null;
  /** Who made it, as a URI. */
  readonly builder: string;
  /** The packages with Node that are inside. */
  readonly nodes: readonly string[];
  /** Whether a program has signed executables, and so changed them. */
  readonly isSigned: boolean;
};

/** Returns the text of the statement. */
export function provenance(options: ProvenanceOptions): string {
  const { sums, commit, systems, address, builder, nodes, isSigned } = options;
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...sums].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:svc:npm-run-release:1',
        externalParameters: { targets: systems, address, signed: isSigned },
        resolvedDependencies: [
          ...(commit === null ? [] : [{ name: 'source', digest: { gitCommit: commit } }]),
          ...nodes.map(nodeDependency),
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

function nodeDependency(name: string): object {
  const { version, integrity } = lockedPackage(name);
  const sha512 = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  return { uri: `pkg:npm/${name}@${version}`, digest: { sha512 } };
}
