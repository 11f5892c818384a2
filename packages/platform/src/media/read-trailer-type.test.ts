import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

test('readTrailerType accepts the variants of MP4 that encoders write', async () => {
  assert.equal(await typeOf(makeMp4()), 'video/mp4');
  assert.equal(await typeOf(mp4Type('mp42', ''), DATA, mp4Box('free'), MP4_MOVIE), 'video/mp4');
  assert.equal(await typeOf(mp4Type('xxxx'), MP4_MOVIE, LARGE), 'video/mp4');
  assert.equal(await typeOf(mp4Type(), MP4_MOVIE, '\0\0\0\0mdat to the end'), 'video/mp4');
  const fragment = [mp4Box('moof'), DATA];
  assert.equal(
    await typeOf(mp4Type('iso5', 'dash'), MP4_MOVIE, ...fragment, ...fragment),
    'video/mp4',
  );
  const brands = 'isom'.repeat(64);
  assert.equal(await typeOf(mp4Type('xxxx', brands), MP4_MOVIE, DATA), 'video/mp4');
  const named = mp4Box('\xa9abc', 'text');
  assert.equal(await typeOf(mp4Type(), MP4_MOVIE, DATA, named), 'video/mp4');
  const large = Buffer.concat([Buffer.from('\0\0\0\x01moov\0\0\0\0', 'latin1'), Buffer.alloc(4)]);
  large.writeUInt32BE(MP4_MOVIE.length + 8, 12);
  assert.equal(await typeOf(mp4Type(), large, MP4_MOVIE.subarray(8), DATA), 'video/mp4');
});

test('readTrailerType accepts every brand of video, and rejects those of other media', async () => {
  const videos = [
    ...['isom', 'iso2', 'iso6', 'mp41', 'mp42', 'avc1', 'av01', 'hvc1', 'hev1', 'M4V ', 'M4VH'],
    ...['M4VP', 'f4v ', 'F4V ', '3gp5', '3g2a', 'dash', 'cmfc', 'cmf2', 'msdh', 'msnv', 'MSNV'],
    ...['mmp4', 'XAVC'],
  ];
  for (const brand of videos) {
    assert.equal(await typeOf(mp4Type(brand, ''), MP4_MOVIE, DATA), 'video/mp4', brand);
    assert.equal(await typeOf(mp4Type('xxxx', brand), MP4_MOVIE, DATA), 'video/mp4', brand);
  }
  const others = [
    ...['qt  ', 'heic', 'heix', 'hevc', 'hevx', 'mif1', 'msf1', 'avif', 'avis', 'crx ', 'jp2 '],
    ...['jpx ', 'M4A ', 'M4B '],
  ];
  for (const brand of others) {
    assert.equal(await typeOf(mp4Type(brand), MP4_MOVIE, DATA), null, brand);
  }
});

test('readTrailerType rejects a file that only starts like an MP4', async () => {
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
    [mp4Type(), mp4Box('moov', mp4Box('trak')), DATA],
    [mp4Type(), mp4Box('moov', MP4_MOVIE.subarray(8), '\0'), DATA],
    [mp4Type('xxxx', 'xxxx'), MP4_MOVIE, DATA],
    [mp4Type('isom', 'isom'.repeat(65)), MP4_MOVIE, DATA],
    [mp4Type('isom', 'isomi'), MP4_MOVIE, DATA],
    [mp4Box('ftyp', 'isom'), MP4_MOVIE, DATA],
    [mp4Type(), MP4_MOVIE, DATA, mp4Box('a\0bc')],
    ...['heic', 'hevc', 'mif1', 'avis', 'M4A '].map((brand) => [mp4Type(brand), MP4_MOVIE, DATA]),
    [mp4Type(page.slice(0, 4), ''), MP4_MOVIE, DATA],
    [mp4Type('qt  '), MP4_MOVIE, DATA],
    [mp4Type('avif'), MP4_MOVIE, DATA],
    [MP4_MOVIE, mp4Type(), DATA],
    [mp4Box('styp', mp4Type().subarray(8)), MP4_MOVIE, DATA],
    [mp4Type(), MP4_MOVIE, DATA, '\0\0\0\x04free'],
    // A size of 64 bits that is shorter than its header.
    [mp4Type(), MP4_MOVIE, DATA, '\0\0\0\x01free\0\0\0\0\0\0\0\x0cfreeskip'],
    [mp4Type(), MP4_MOVIE, '\0\0\0\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff'],
    [''],
  ];
  for (const [index, parts] of refused.entries()) {
    assert.equal(await typeOf(...parts), null, `case ${index}`);
  }
});

test('readTrailerType accepts WebM with known sizes, and with unknown sizes as browsers record it', async () => {
  assert.equal(await typeOf(makeWebm()), 'video/webm');
  const block = webmElement('a3', Buffer.alloc(100_000));
  const cluster = [webmOpen('1f43b675'), webmElement('e7', '\0'), block, block];
  const recorded = [webmHead(), webmOpen('18538067'), WEBM_TRACKS, ...cluster, ...cluster];
  assert.equal(await typeOf(...recorded), 'video/webm');
  assert.equal(await typeOf(...recorded, webmElement('1c53bb6b')), 'video/webm');
  const known = [webmElement('18538067', WEBM_TRACKS, WEBM_CLUSTER)];
  assert.equal(await typeOf(webmHead('webm\0\0'), ...known), 'video/webm');
  const fullHead = webmElement('1a45dfa3', webmElement('4282', 'webm'), padding(4096 - 10));
  assert.equal(await typeOf(fullHead, ...known), 'video/webm');
});

test('readTrailerType accepts every element that a segment and a cluster may have', async () => {
  const all = (...ids: string[]): Buffer[] => ids.map((id) => webmElement(id, 'x'));
  const inCluster = all('bf', 'e7', 'ec', 'a7', 'ab', 'a3', 'a0', 'ec', 'a3');
  const inSegment = all('114d9b74', '1549a966', '1c53bb6b', '1941a469', '1043a770', '1254c367');
  const more = all('ec', 'bf');
  const open = [webmOpen('1f43b675'), ...inCluster];
  const parts = [WEBM_TRACKS, ...more, ...open, ...inSegment];
  assert.equal(await typeOf(webmHead(), webmElement('18538067', ...parts)), 'video/webm');
  for (const id of ['ae', '4282', '1a45dfa3']) {
    const wrong = [...parts, webmElement(id, 'x')];
    assert.equal(await typeOf(webmHead(), webmElement('18538067', ...wrong)), null, id);
  }
});

/** A void element of this size in bytes. */
function padding(bytes: number): Buffer {
  return webmElement('ec', Buffer.alloc(bytes - 5));
}

test('readTrailerType rejects a file that only starts like a WebM', async () => {
  const page = '<script>alert(1)</script>';
  const segment = (...parts: (Buffer | string)[]): Buffer => webmElement('18538067', ...parts);
  const refused: readonly (Buffer | string)[][] = [
    [webmHead(), page],
    [makeWebm(), page],
    [makeWebm().subarray(0, -1)],
    [makeWebm(), WEBM_CLUSTER],
    [webmHead(), webmElement('18538068', WEBM_TRACKS, WEBM_CLUSTER)],
    [webmElement('1a45dfa4', webmElement('4282', 'webm')), segment(WEBM_TRACKS, WEBM_CLUSTER)],
    [
      webmElement('1a45dfa3', webmElement('4282', 'webm'), Buffer.from('ec10000009', 'hex')),
      segment(WEBM_TRACKS, WEBM_CLUSTER),
    ],
    [webmHead(), segment(WEBM_TRACKS)],
    [webmHead(), segment(WEBM_CLUSTER)],
    [webmHead(), segment(WEBM_TRACKS, WEBM_CLUSTER, page)],
    [webmHead(), webmOpen('18538067'), WEBM_TRACKS, WEBM_CLUSTER, page],
    [webmHead('matroska'), segment(WEBM_TRACKS, WEBM_CLUSTER)],
    [webmHead(), WEBM_TRACKS, WEBM_CLUSTER],
    [segment(WEBM_TRACKS, WEBM_CLUSTER)],
    [
      webmElement('1a45dfa3', webmElement('4282', 'webm'), padding(4096 - 10 + 1)),
      segment(WEBM_TRACKS, WEBM_CLUSTER),
    ],
    [webmOpen('1a45dfa3'), webmElement('4282', 'webm'), segment(WEBM_TRACKS, WEBM_CLUSTER)],
    // Blocks outside of a cluster; a cluster of unknown size ends at the next element.
    [webmHead(), segment(WEBM_TRACKS, WEBM_CLUSTER, webmElement('a3', 'x'))],
    [webmHead(), segment(webmOpen('1f43b675'), WEBM_TRACKS, webmElement('a3', 'x'))],
    // Only a cluster may have an unknown size.
    [webmHead(), segment(WEBM_CLUSTER, webmOpen('1654ae6b'))],
    // An element is longer than the file or its parent.
    [webmHead(), webmOpen('18538067'), WEBM_CLUSTER, WEBM_TRACKS, Buffer.from('ec10000009', 'hex')],
    [
      webmElement('1a45dfa3', webmElement('4282', 'webm').subarray(0, -1)),
      segment(WEBM_TRACKS, WEBM_CLUSTER),
    ],
    [webmElement('1a45dfa3', 'webm'), segment(WEBM_TRACKS, WEBM_CLUSTER)],
    [webmHead()],
  ];
  for (const [index, parts] of refused.entries()) {
    assert.equal(await typeOf(...parts), null, `case ${index}`);
  }
});

test('readTrailerType accepts an MP4 of up to 100,000 boxes', async () => {
  const boxes = (count: number): Buffer => Buffer.concat(Array(count).fill(mp4Box('free')));
  assert.equal(await typeOf(makeMp4(), boxes(100_000 - 3)), 'video/mp4');
  assert.equal(await typeOf(makeMp4(), boxes(100_000 - 2)), null);
});

test('readTrailerType closes its file, also if that is no video', {
  skip: process.platform === 'linux' ? false : 'requires /proc',
}, async () => {
  const open = (): string[] => readdirSync('/proc/self/fd');
  await typeOf(makeMp4());
  const before = open().length;
  for (const bytes of [makeMp4(), makeWebm(), Buffer.from('text')]) await typeOf(bytes);
  assert.equal(open().length, before);
});
