import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  MP4_MOVIE,
  makeMp4,
  makeWebm,
  mp4Box,
  mp4Type,
  WEBM_CLUSTER,
  WEBM_TRACKS,
  webmElement,
  webmHead,
  webmOpen,
} from '../../test/make-trailer.ts';
import { readTrailerType } from './read-trailer-type.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-trailer-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function typeOf(...parts: readonly (Buffer | string)[]): Promise<string | null> {
  const path = join(folder, 'trailer');
  writeFileSync(path, Buffer.concat(parts.map((part) => Buffer.from(part))));
  return readTrailerType(path);
}

const DATA = mp4Box('mdat', Buffer.alloc(200_000));
const LARGE = Buffer.concat([Buffer.from('\0\0\0\x01mdat\0\0\0\0\0\0\0\x18pictures', 'latin1')]);

test('readTrailerType takes the forms in which encoders write MP4', async () => {
  assert.equal(await typeOf(makeMp4()), 'video/mp4');
  assert.equal(await typeOf(mp4Type('mp42', ''), DATA, mp4Box('free'), MP4_MOVIE), 'video/mp4');
  assert.equal(await typeOf(mp4Type('xxxx'), MP4_MOVIE, LARGE), 'video/mp4');
  assert.equal(await typeOf(mp4Type(), MP4_MOVIE, '\0\0\0\0mdat to the end'), 'video/mp4');
  const fragment = [mp4Box('moof'), DATA];
  assert.equal(
    await typeOf(mp4Type('iso5', 'dash'), MP4_MOVIE, ...fragment, ...fragment),
    'video/mp4',
  );
});

test('readTrailerType refuses what only begins like an MP4', async () => {
  const page = '<script>alert(1)</script>';
  const refused: readonly (Buffer | string)[][] = [
    [`\0\0\0\x18ftypisom${page}`],
    [mp4Type(), page],
    [makeMp4(), page],
    [makeMp4(), '\0\0\0'],
    [makeMp4().subarray(0, -1)],
    [mp4Type(), MP4_MOVIE],
    [mp4Type(), DATA],
    [mp4Type(), MP4_MOVIE, mp4Box('mdat')],
    [mp4Type(), MP4_MOVIE, MP4_MOVIE, DATA],
    [mp4Type(), mp4Box('moov', page), DATA],
    [mp4Type(), mp4Box('moov', mp4Box('mvhd')), DATA],
    [mp4Type(page.slice(0, 4), ''), MP4_MOVIE, DATA],
    [mp4Type('qt  '), MP4_MOVIE, DATA],
    [mp4Type('avif'), MP4_MOVIE, DATA],
    [MP4_MOVIE, mp4Type(), DATA],
    [mp4Type(), MP4_MOVIE, DATA, '\0\0\0\x04free'],
    [mp4Type(), MP4_MOVIE, '\0\0\0\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff'],
    [''],
  ];
  for (const [index, parts] of refused.entries()) {
    assert.equal(await typeOf(...parts), null, `case ${index}`);
  }
});

test('readTrailerType takes WebM with sizes and, as browsers record it, without', async () => {
  assert.equal(await typeOf(makeWebm()), 'video/webm');
  const block = webmElement('a3', Buffer.alloc(100_000));
  const cluster = [webmOpen('1f43b675'), webmElement('e7', '\0'), block, block];
  const recorded = [webmHead(), webmOpen('18538067'), WEBM_TRACKS, ...cluster, ...cluster];
  assert.equal(await typeOf(...recorded), 'video/webm');
  assert.equal(await typeOf(...recorded, webmElement('1c53bb6b')), 'video/webm');
});

test('readTrailerType refuses what only begins like a WebM', async () => {
  const page = '<script>alert(1)</script>';
  const segment = (...parts: (Buffer | string)[]): Buffer => webmElement('18538067', ...parts);
  const refused: readonly (Buffer | string)[][] = [
    [webmHead(), page],
    [makeWebm(), page],
    [makeWebm().subarray(0, -1)],
    [webmHead(), segment(WEBM_TRACKS)],
    [webmHead(), segment(WEBM_CLUSTER)],
    [webmHead(), segment(WEBM_TRACKS, WEBM_CLUSTER, page)],
    [webmHead(), webmOpen('18538067'), WEBM_TRACKS, WEBM_CLUSTER, page],
    [webmHead('matroska'), segment(WEBM_TRACKS, WEBM_CLUSTER)],
    [webmElement('1a45dfa3', 'webm'), segment(WEBM_TRACKS, WEBM_CLUSTER)],
    [webmHead()],
  ];
  for (const [index, parts] of refused.entries()) {
    assert.equal(await typeOf(...parts), null, `case ${index}`);
  }
});
