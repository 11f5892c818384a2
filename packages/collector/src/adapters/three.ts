// `@svc/collector/three`: the files of three.js textures and meshes, also of those inside models. Plain images need no adapter,
// because the collector detects their URLs.

import { apply } from '../hooks/patch.ts';
import { asset } from '../recording/functions.ts';
import { quietly } from '../sink/sink.ts';
import { cameFrom, field, objectAt, seeCalls } from './follow-engine.ts';

/**
 * Tracks the given loader classes, of three.js or with the same `load(url, onLoad)`:
 * `followThree(TextureLoader, FileLoader, GLTFLoader)`. Returns a function that stops it.
 */
export function followThree(...loaders: readonly object[]): () => void {
  const undos = loaders.map((loader) =>
    seeCalls(objectAt(loader, 'prototype'), 'load', (self, args) => {
      const [url, onLoad] = args;
      if (typeof url !== 'string') return;
      const address = resolve(self, url);
      args[1] = function (this: unknown, ...results: unknown[]): unknown {
        quietly(() => tieResult(results[0], address));
        return typeof onLoad === 'function' ? apply(onLoad, this, results) : undefined;
      };
    }),
  );
  return () => {
    for (const undo of undos) undo();
  };
}

/** The URL that the loader will request: with its path, mapped by its manager. */
function resolve(loader: unknown, url: string): string {
  const path = field(loader, 'path');
  const full = typeof path === 'string' ? path + url : url;
  const manager = objectAt(loader, 'manager');
  const map = field(manager, 'resolveURL');
  const mapped: unknown = typeof map === 'function' ? apply(map, manager, [full]) : full;
  return typeof mapped === 'string' ? mapped : full;
}

function tieResult(result: unknown, url: string): void {
  if (result instanceof ArrayBuffer) cameFrom(result, url);
  else if (field(result, 'isTexture') === true) tieTexture(result, url);
  else if (field(result, 'isBufferGeometry') === true) tieGeometry(result, url);
  else tieScene(objectAt(result, 'scene') ?? result, url);
}

/** A model: its meshes belong to the file, its textures are parts of the file with their own names. */
function tieScene(scene: unknown, url: string): void {
  const traverse = field(scene, 'traverse');
  if (typeof traverse !== 'function') return;
  const seen = new Set<unknown>();
  apply(traverse, scene, [
    (node: unknown) => {
      tieGeometry(field(node, 'geometry'), url);
      const materials: unknown = field(node, 'material');
      for (const material of Array.isArray(materials) ? materials : [materials]) {
        for (const texture of Object.values(objectAt(material) ?? {})) {
          if (field(texture, 'isTexture') !== true || seen.has(texture)) continue;
          seen.add(texture);
          tiePart(texture, url, seen.size);
        }
      }
    },
  ]);
}

function tiePart(texture: unknown, url: string, number: number): void {
  const name = field(texture, 'name');
  const file = url.replace(/[?#].*$/s, '').replace(/^.*\//s, '');
  const part = typeof name === 'string' && name !== '' ? name : `texture ${number}`;
  for (const image of imagesOf(texture))
    asset(image, { name: `${file}: ${part}`, kind: 'texture' });
}

function tieTexture(texture: unknown, url: string): void {
  for (const image of imagesOf(texture)) cameFrom(image, url);
}

/** The sources of a texture's uploads: its image or images, their data, its mip levels. */
function imagesOf(texture: unknown): object[] {
  const image = field(texture, 'image');
  const mipmaps = field(texture, 'mipmaps');
  return [
    ...(Array.isArray(image) ? image : [image]),
    ...(Array.isArray(mipmaps) ? mipmaps : []),
  ].flatMap((one) => {
    const found = objectAt(one, 'data') ?? objectAt(one);
    return found === null ? [] : [found];
  });
}

function tieGeometry(geometry: unknown, url: string): void {
  const attributes = Object.values(objectAt(geometry, 'attributes') ?? {});
  for (const attribute of [...attributes, field(geometry, 'index')]) {
    cameFrom(objectAt(attribute, 'array') ?? objectAt(attribute, 'data', 'array'), url);
  }
}
