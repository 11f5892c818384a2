// vpt.h, compiled as C99.
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { checkWriter } from '../test/check-writer.ts';
import { COUNT_ALLOCATIONS, compileWriter } from './test/compile-writer.ts';

const skip = existsSync('/usr/bin/cc') ? false : 'no C compiler is installed';
const options = ['-std=c99', '-O2', '-pthread', ...COUNT_ALLOCATIONS];

checkWriter({
  language: 'C99',
  command: skip === false ? [compileWriter({ after }, 'cc', options)] : [],
  skip,
  producer: 'vpt.h',
  acceptsNul: false,
});
