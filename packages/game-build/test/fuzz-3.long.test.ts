// A quarter of the million inputs.
import { fuzzWith } from './fuzz-lane.ts';

fuzzWith(3000, 250_000);
