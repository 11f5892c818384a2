// Explains in sentences why an input was rejected.
export { describeFault, formatNumber } from './faults/describe-fault.ts';
export { type Explained, explainInput, LISTED_FAULTS } from './faults/explain-input.ts';
export { type Fault, findFaults, RULES, type Rule } from './faults/find-faults.ts';
export { findJsonFault, type JsonFault } from './faults/find-json-fault.ts';
export { nearWord } from './faults/near-word.ts';
export {
  BODY,
  branchesOf,
  FORM,
  HEADERS,
  type InputKind,
  nameOf,
  PATH,
  type Place,
  pointerOf,
  QUERY,
  type Schema,
  titleOf,
} from './faults/place.ts';
export { QUOTED_CHARACTERS, quoted } from './faults/quoted.ts';
