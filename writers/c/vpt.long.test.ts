// vpt.h, compiled as C++, by clang, with the checks of the compiler at run time, and for Windows.
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { checkWriter } from '../test/check-writer.ts';
import { compileWriter } from './test/compile-writer.ts';

const VARIANTS = [
  { language: 'C++17', compiler: 'g++', options: ['-std=c++17', '-x', 'c++', '-O2'] },
  { language: 'C99 by clang', compiler: 'clang', options: ['-std=c99', '-O2'] },
  {
    language: 'C99 with arithmetic that assumes finite numbers',
    compiler: 'gcc',
    options: ['-std=c99', '-O3', '-ffast-math'],
  },
  {
    language: 'C99 with checks of data races',
    compiler: 'gcc',
    options: ['-std=c99', '-g', '-O1', '-fsanitize=thread'],
  },
  {
    language: 'C99 with checks of addresses and undefined behaviour',
    compiler: 'gcc',
    options: ['-std=c99', '-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'],
  },
];

for (const { language, compiler, options } of VARIANTS) {
  const skip = notInstalled(compiler);
  checkWriter({
    language,
    command: skip === false ? [compileWriter({ after }, compiler, ['-pthread', ...options])] : [],
    skip,
    producer: 'vpt.h',
    acceptsNul: false,
  });
}

const MINGW = 'x86_64-w64-mingw32-gcc';

test('vpt.h compiles for Windows', { skip: notInstalled(MINGW) }, (t) => {
  compileWriter(t, MINGW, ['-std=c99', '-O2']);
});

function notInstalled(compiler: string): string | false {
  return existsSync(`/usr/bin/${compiler}`) ? false : `${compiler} is not installed`;
}
