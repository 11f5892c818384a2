// A quarter of the million inputs.
import { fuzzWith } from './fuzz-lane.ts';

fuzzWith(4000, 250_000);
