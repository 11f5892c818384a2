// Builds the image of the servers by the commands of the guide, in a storage that vanishes with the test.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../packages/cli/src/process/version.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { codeBlocks } from '../operate/code-blocks.ts';
import { guideFile } from '../operate/guide-file.ts';

const GUIDE = join(ROOT, 'docs/run-it.md');
const CONTAINERFILE = guideFile('image/Containerfile');
const IMAGE = `localhost/svc-server:${VERSION}`;

/** What an image says about its containers. */
export type ImageConfig = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, object>>;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly Labels: Readonly<Record<string, string>>;
};

export type Images = Disposable & {
  /** Builds the image from the archive of the servers. `base` is `scratch`, or an image that was imported. */
  build(archive: string, base: string): void;
  /** Makes an image of a root in a `tar` file, and returns its name. */
  import(file: string): string;
  /** The id of the image, which depends on every byte of it. */
  id(): string;
  config(): ImageConfig;
  /** Returns the folder with the root of the image. */
  mount(): string;
};

/** The reason why there can be no images here, or null. */
export function buildahMissing(): string | null {
  if (!existsSync('/usr/bin/buildah')) return 'buildah is not installed';
  return process.getuid?.() === 0 ? null : 'only root can mount an image';
}

/** Opens an empty storage of images. Disposing of it removes the storage. */
export function openImages(): Images {
  const folder = mkdtempSync(join(tmpdir(), 'svc-image-'));
  const storage = join(folder, 'storage.conf');
  const place = `graphroot = "${folder}/images"\nrunroot = "${folder}/run"\n`;
  writeFileSync(storage, `[storage]\ndriver = "vfs"\n${place}`);
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, CONTAINERS_STORAGE_CONF: storage };
  const run = (command: string, args: readonly string[], cwd = folder): string => {
    const options = {
      env: { ...env, BUILDAH_ISOLATION: 'chroot' },
      cwd,
      encoding: 'utf8' as const,
    };
    const { status, stdout, stderr } = spawnSync(command, args, options);
    assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`);
    return stdout.trim();
  };
  const buildah = (...args: readonly string[]): string => run('buildah', args);
  return {
    build(archive, base) {
      const work = mkdtempSync(join(folder, 'work-'));
      copyFileSync(CONTAINERFILE, join(work, 'Containerfile'));
      copyFileSync(archive, join(work, `svc-server-${VERSION}-linux-x64.tar.gz`));
      const block = codeBlocks(readFileSync(GUIDE, 'utf8')).find(({ text }) =>
        text.includes('buildah'),
      );
      const script = (block?.text ?? 'exit 1')
        .replaceAll(/VERSION(?!=)/g, VERSION)
        .replace('buildah build', `buildah build --no-cache --pull-never --build-arg BASE=${base}`);
      run('sh', ['-euc', script], work);
    },
    import(file) {
      const context = join(folder, 'base');
      mkdirSync(context);
      writeFileSync(join(context, 'Containerfile'), 'FROM scratch\nADD base.tar /\n');
      copyFileSync(file, join(context, 'base.tar'));
      buildah('build', '--tag', 'localhost/base', context);
      return 'localhost/base';
    },
    id: () => buildah('images', '--no-trunc', '--quiet', IMAGE),
    config: () => JSON.parse(buildah('inspect', '--type', 'image', IMAGE)).OCIv1.config,
    mount: () => buildah('mount', buildah('from', '--pull-never', IMAGE)),
    [Symbol.dispose]() {
      spawnSync('buildah', ['umount', '--all'], { env });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
