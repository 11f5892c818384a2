// A quarter of the million inputs.
import { fuzzWith } from './fuzz-lane.ts';

fuzzWith(1000, 250_000);
