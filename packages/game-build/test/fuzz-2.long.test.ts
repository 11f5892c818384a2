// A quarter of the million inputs.
import { fuzzWith } from './fuzz-lane.ts';

fuzzWith(2000, 250_000);
