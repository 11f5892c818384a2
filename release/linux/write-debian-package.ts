// Writes the packages for Debian and its relatives: `svc`, and `svc-server` with both servers.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readVersion } from '../../scripts/version.ts';
import { DESCRIPTION } from '../description.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { debianTexts } from './debian-texts.ts';
import { SERVER_MANUALS, SHARED_FILES } from './shared-files.ts';
import { writeDeb } from './write-deb.ts';

/** Debian's names of the processors. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  'linux-x64': 'amd64',
  'linux-arm64': 'arm64',
};

/** What Node's program needs. */
const DEPENDS = 'libc6 (>= 2.28), libgcc-s1, libstdc++6';

export type DebianPackage = {
  /** The name of the system, such as `linux-x64`. */
  readonly target: string;
  /** The folder with what the archive for the system contains. */
  readonly unpacked: string;
  readonly out: string;
  readonly time: Date;
};

/** Writes a file of the package. `path` is below `/`. */
type Put = (path: string, bytes: Buffer | string) => void;

/** Writes `svc_VERSION_ARCHITECTURE.deb`. Does nothing if the system is none of Debian. */
export async function writeCommandPackage(options: DebianPackage): Promise<void> {
  await writePackage('svc', DESCRIPTION, options, (folder, put) => {
    const from = (path: string): Buffer => readFileSync(join(options.unpacked, path));
    put('usr/bin/svc', from('svc'));
    chmodSync(join(folder, 'usr/bin/svc'), 0o755);
    put(`usr/${SHARED_FILES.manual}.gz`, gzipped(from(SHARED_FILES.manual)));
    put(`usr/${SHARED_FILES.bash}`, from(SHARED_FILES.bash));
    put('usr/share/zsh/vendor-completions/_svc', from(SHARED_FILES.zsh));
    put(`usr/${SHARED_FILES.fish}`, from(SHARED_FILES.fish));
    put('usr/share/doc/svc/THIRD-PARTY-NOTICES.txt.gz', gzipped(from('THIRD-PARTY-NOTICES.txt')));
  });
}

/** Writes `svc-server_VERSION_ARCHITECTURE.deb`. Does nothing if the system is none of Debian. */
export async function writeServerPackage(options: DebianPackage): Promise<void> {
  await writePackage('svc-server', DESCRIPTION.server, options, (folder, put) => {
    cpSync(options.unpacked, join(folder, 'usr'), { recursive: true });
    for (const manual of Object.values(SERVER_MANUALS)) {
      const file = join(folder, 'usr', manual);
      put(`usr/${manual}.gz`, gzipped(readFileSync(file)));
      rmSync(file);
    }
  });
}

function gzipped(bytes: Buffer | string): Buffer {
  const zipped = gzipSync(bytes, { level: 9 });
  // The operating system of the compression is unknown (RFC 1952, section 2.3.1), as in the archives.
  zipped[9] = 255;
  return zipped;
}

async function writePackage(
  name: string,
  { summary, text }: { readonly summary: string; readonly text: string },
  { target, out, time }: DebianPackage,
  fill: (folder: string, put: Put) => void,
): Promise<void> {
  const architecture = ARCHITECTURES[target];
  if (architecture === undefined) return;
  using work = temporaryFolder();
  const folder = work.path;
  const put: Put = (path, bytes) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  };
  fill(folder, put);
  const version = readVersion();
  const { changelog, copyright, overrides } = debianTexts(name, version, time);
  put(`usr/share/doc/${name}/changelog.gz`, gzipped(changelog));
  put(`usr/share/doc/${name}/copyright`, copyright);
  put(`usr/share/lintian/overrides/${name}`, overrides);
  await writeDeb({
    folder,
    file: join(out, `${name}_${version}_${architecture}.deb`),
    time,
    fields: {
      ...{ Package: name, Version: version, Architecture: architecture },
      ...{ Maintainer: DESCRIPTION.maintainer, Depends: DEPENDS },
      // Its program has the same name.
      ...(name === 'svc' ? { Conflicts: 'daemontools, daemontools-encore' } : {}),
      ...{ Section: name === 'svc' ? 'devel' : 'web', Priority: 'optional' },
      Description: [summary, ...wrapped(text)].join('\n '),
    },
  });
}

/** The text in lines of at most 78 characters. */
function wrapped(text: string): string[] {
  return text.match(/\S.{0,77}(?=\s|$)/g) ?? [];
}
