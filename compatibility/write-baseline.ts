// Run after a release: later changes are compared with this one.
import { writeBaseline } from './contracts.ts';

await writeBaseline();
