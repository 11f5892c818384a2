// Extracts a ZIP into a folder with one peer: `node peers.mjs PEER ZIP FOLDER`. Prints the peak memory.
import {
  closeSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [peer, zip, folder] = process.argv.slice(2);

const PEERS = {
  async yauzl() {
    const { openPromise } = await import('yauzl');
    const file = await openPromise(zip, { autoClose: false });
    const lanes = [];
    for await (const entry of file.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      const target = place(entry.fileName);
      lanes.push(pipeline(await file.openReadStreamPromise(entry), createWriteStream(target)));
      if (lanes.length >= 4) await lanes.shift();
    }
    await Promise.all(lanes);
    file.close();
  },
  async fflate() {
    const { Unzip, UnzipInflate } = await import('fflate');
    const unzip = new Unzip((file) => {
      if (file.name.endsWith('/')) return;
      const target = openSync(place(file.name), 'w');
      file.ondata = (error, data, final) => {
        if (error) throw error;
        writeSync(target, data);
        if (final) closeSync(target);
      };
      file.start();
    });
    unzip.register(UnzipInflate);
    for await (const chunk of createReadStream(zip, { highWaterMark: 1 << 18 })) unzip.push(chunk);
    unzip.push(new Uint8Array(0), true);
  },
  async 'zip.js'() {
    const { configure, ZipReader, Reader } = await import('@zip.js/zip.js');
    configure({ useWebWorkers: false });
    const { open } = await import('node:fs/promises');
    const handle = await open(zip);
    class FileReader extends Reader {
      async init() {
        this.size = (await handle.stat()).size;
      }
      async readUint8Array(offset, length) {
        const bytes = new Uint8Array(length);
        const { bytesRead } = await handle.read(bytes, 0, length, offset);
        return bytes.subarray(0, bytesRead);
      }
    }
    const reader = new ZipReader(new FileReader());
    for (const entry of await reader.getEntries()) {
      if (entry.directory) continue;
      const target = createWriteStream(place(entry.filename));
      const { Writable } = await import('node:stream');
      await entry.getData(Writable.toWeb(target));
    }
    await handle.close();
  },
};

function place(name) {
  const target = join(folder, name);
  mkdirSync(dirname(target), { recursive: true });
  return target;
}

if (peer === 'version') {
  const read = (name) =>
    JSON.parse(
      readFileSync(join(import.meta.dirname, '../node_modules', name, 'package.json'), 'utf8'),
    ).version;
  console.log(
    JSON.stringify({
      yauzl: read('yauzl'),
      fflate: read('fflate'),
      'zip.js': read('@zip.js/zip.js'),
    }),
  );
} else {
  await PEERS[peer]();
  console.log(process.resourceUsage().maxRSS);
}
