// Positions of errors in rejected lines. `▲` marks the position of the error and is not part of the line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readVpt } from './read-vpt.ts';

const HEADER =
  '{"vpt":1,"producer":{"name":"t","version":"0"},"started_at":null,"sources":["native"]}';

/** Reads a line after a header. It must be rejected at the byte marked by `▲`, with this code and message. */
function refusedAt(marked: string, code: string, message: string): void {
  const at = marked.indexOf('▲');
  assert.ok(at >= 0, marked);
  const column = Buffer.byteLength(marked.slice(0, at)) + 1;
  assert.throws(
    () => readVpt(`${HEADER}\n${marked.replace('▲', '')}\n`),
    { code, line: 2, column, message: `Cannot read line 2: ${message}` },
    marked,
  );
}

const NO_JSON: readonly string[] = [
  '{▲,}',
  '{▲]',
  '{▲1:2}',
  "{▲'a':1}",
  '{▲a:1}',
  '{"a"▲}',
  '{"a"▲,"b":1}',
  '{"a" ▲1}',
  '{"a":▲}',
  '{"a":▲,"b":1}',
  '{"a":▲]',
  '{"a":1▲]',
  '{"a":1▲:2}',
  '{"a":1,▲}',
  '{"a":1,▲,"b":2}',
  '{"a":1,▲2}',
  '{"a":1 ▲"b":2}',
  '{"a":[1▲}}',
  '{"a":[▲,1]}',
  '{"a":[▲:1]}',
  '{"a":[▲}}',
  '{"a":[1,▲]}',
  '{"a":[1 ▲2]}',
  '{"a":[{}▲{}]}',
  '{"a":[1,{"b":2},▲]}',
  '{"a":[[],{},[1]],▲}',
  '{"a":{"b":[1]}▲]',
  '{"a":1}▲}',
  '{"a":1}▲,',
  '{"a":1} ▲{"b":2}',
  '[]▲]',
  '1 ▲2',
  '"a"▲:1',
  '▲}',
  '▲,',
  ' \t▲x',
  // Each kind of valid value, followed by an error.
  '{"a":true,"b":false,"c":null,▲}',
  '{"a":0,"b":-0,"c":10,"d":-1.25,"e":1e5,"f":1E+15,"g":0.5e-07,▲}',
  '{"a":"\\"","b":"\\\\","c":"\\/","d":"\\b","e":"\\f","f":"\\n","g":"\\r","h":"\\t",▲}',
  '{"a":"\\u00e9\\uABCD\\u0022","\\u0062":"\\\\\\"",▲}',
  '{"a":" }],:{[é€😀","":"",▲}',
  '{"a":"\u007f\u0080\u2028",▲}',
  '{\t"a"\r:\t1\r, "b" : [ ] , ▲}',
  // Invalid values.
  '{"a":▲nul}',
  '{"a":▲True}',
  '{"a":true▲r}',
  '{"a":▲undefined}',
  '{"a":▲NaN}',
  '{"a":▲-}',
  '{"a":▲+1}',
  '{"a":▲.5}',
  '{"a":▲-a}',
  '{"a":0▲1}',
  '{"a":-0▲1}',
  '{"a":1▲.}',
  '{"a":1▲.e5}',
  '{"a":1▲e}',
  '{"a":1▲e+}',
  '{"a":0▲x10}',
  '{"a":▲"\\x41"}',
  '{"a":▲"\\B"}',
  '{"a":▲"\\u12g4"}',
  '{"a":▲"\\u123"}',
  '{"a":▲"b\u001fc"}',
  '{"a":▲"b\tc"}',
  '{▲"b\u0001":1}',
  '{"a":1,▲"b\\x":2}',
  '{"a":▲"b}',
  '{"a":▲"b\\"}',
  '{"a":1,▲"b}',
];

test('a line that is not JSON is rejected at the first invalid character', () => {
  for (const marked of NO_JSON) refusedAt(marked, 'invalid_json', 'it is not valid JSON');
});

test('a line that ends too early is rejected at its end', () => {
  const rows = ['{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":[', '{"a":[1,', '{"a":[{}', '[[]'];
  for (const row of ['', ' \t\r', ...rows, '{"é":"\\u00e9"']) {
    refusedAt(`${row}▲`, 'invalid_json', 'the JSON object ends too early');
  }
});

/** A line with an invalid value, the message, and the code if it is not `invalid_record`. */
const VALUES: readonly (readonly [marked: string, message: string, code?: string])[] = [
  ['▲{"type":"mark","name":"a"}', 'it has no "t"'],
  [' \t▲{"type":"mark","t":1}', 'it has no "name"'],
  ['▲[{"type":"mark","t":1}]', 'it must be an object'],
  ['  ▲"mark"', 'it must be an object'],
  ['{"type":"mark","t":1,"name":▲5}', '"name" must be a string'],
  [
    '{"type":"mark","name":"a","t":▲"1"}',
    '"t" must be a number of milliseconds from 0 to 9007199254740',
  ],
  ['{"type":"mark","name":"a","t":▲0.0001}', '"t" must have at most 3 decimals'],
  ['{"t":1,"type":▲"mark two"}', '"type" must be a lower-case word'],
  ['{"type":"mark","t":1,"name":"a","source":▲"browser"}', '"source" must be one of: native'],
  // Each kind of value before the invalid one.
  ['{"x":"","y":"\\"","z":"\\\\","type":"mark","t":1,"name":▲5}', '"name" must be a string'],
  ['{"x":{"name":1},"y":[{"name":2}],"type":"mark","t":1,"name":▲5}', '"name" must be a string'],
  ['{"x":{},"y":[],"z":[[],{}],"type":"mark","t":1,"name":▲5}', '"name" must be a string'],
  ['{"x":"]},","y":["}",{"]":"{"}],"type":"mark","t":1,"name":▲5}', '"name" must be a string'],
  ['{"x":true,"y":null,"z":-1.5e3,"type":"mark","t":1,"name":▲5}', '"name" must be a string'],
  ['{"x":1 ,"y":2\t,"z":3\r,"type":"mark" , "t"\t:\r1, "name" : ▲5}', '"name" must be a string'],
  ['{"x":"é€😀","type":"mark","t":1,"name":▲5}', '"name" must be a string'],
  ['{"type":"mark","t":1,"n\\u0061me":▲5}', '"name" must be a string'],
  ['{"type":"mark","t":1,"\\"":"name","name":▲{"name":"a"}}', '"name" must be a string'],
  // Inside objects and arrays.
  [
    '{"type":"frames","t":1,"duration_ms":[▲-1,2]}',
    '"duration_ms[0]" must be a number from 0 to 9007199254740',
  ],
  [
    '{"type":"frames","t":1,"duration_ms":[ 1 , 2.5\t,▲null ]}',
    '"duration_ms[2]" must be a number from 0 to 9007199254740',
  ],
  [
    '{"type":"frames","t":1,"duration_ms":[1],"draws":[▲0.5]}',
    '"draws[0]" must be an integer from 0 to 2^53 − 1',
  ],
  ['{"type":"frames","t":1,"duration_ms":▲{"0":1}}', '"duration_ms" must be an array'],
  [
    '{"type":"longtask","t":1,"duration_ms":9,"scripts":[{"name":"[\\"","duration_ms":1},{"name":"b","duration_ms":▲-1}]}',
    '"scripts[1].duration_ms" must be a number from 0 to 9007199254740',
  ],
  [
    '{"type":"longtask","t":1,"duration_ms":9,"scripts":[{"name":"a","duration_ms":1}, ▲{"name":"b"}]}',
    '"scripts[1]" has no "duration_ms"',
  ],
  [
    '{"type":"longtask","t":1,"duration_ms":9,"scripts":[{"name":"a","duration_ms":1,"x":[[1],2]},▲7]}',
    '"scripts[1]" must be an object',
  ],
  [
    '{"type":"asset","t":1,"id":1,"name":"a","kind":"mesh","phase":"load","dims":[1,2,▲-3]}',
    '"dims[2]" must be an integer from 0 to 2^53 − 1',
  ],
  [
    '{"type":"stacks","t":0,"first_name":0,"names":["a"],"first_node":0,"parents":[-1],"node_names":[0],"samples":{"node":[0],"weight":[▲1.5]},"unit":"count"}',
    '"samples.weight[0]" must be an integer, or a string of at most 200 digits beyond 2^53 − 1',
  ],
  [
    '{"type":"stacks","t":0,"first_name":0,"names":["a","b"],"first_node":0,"parents":[-1,▲1],"node_names":[0,1],"samples":{"node":[],"weight":[]},"unit":"count"}',
    '"parents[1]" must be −1 or a node before 1',
    'undefined_id',
  ],
  [
    '{"type":"stacks","t":0,"first_name":0,"names":["a","b"],"first_node":0,"parents":[-1,0],"node_names":[0,▲2],"samples":{"node":[],"weight":[]},"unit":"count"}',
    '"node_names[1]" is not a name that was defined before (0 to 1)',
    'undefined_id',
  ],
  [
    '{"type":"stacks","t":0,"first_name":0,"names":["a"],"first_node":0,"parents":[-1],"node_names":[0],"samples":{"node":[0,▲1],"weight":[1,1]},"unit":"count"}',
    '"samples.node[1]" is not a node that was defined before (0 to 0)',
    'undefined_id',
  ],
  [
    '{"type":"stacks","t":0,"first_name":0,"names":["a"],"first_node":▲1,"parents":[-1],"node_names":[0],"samples":{"node":[],"weight":[]},"unit":"count"}',
    '"first_node" must be 0: ids ascend without gaps',
    'id_order',
  ],
  [
    '{"type":"stacks","t":0,"first_name":0,"names":[],"first_node":0,"parents":[],"node_names":[],"samples":{"node":[],"weight":[],"before":▲[1]},"unit":"count"}',
    '"samples.before" has 1 entries but "node" has 0',
    'column_length',
  ],
  [
    '{"type":"frames","t":1,"duration_ms":[1],"gpu_ms":▲[]}',
    '"gpu_ms" has 0 entries but "duration_ms" has 1',
    'column_length',
  ],
];

test('a wrong value is rejected at its position, or at the position of its object', () => {
  for (const [marked, message, code = 'invalid_record'] of VALUES) refusedAt(marked, code, message);
});

test('duplicate keys and values that are nested too deep are rejected at their start', () => {
  const mark = '{"type":"mark","t":1,"name":"a"';
  const twice: readonly string[] = [
    `${mark},▲"name":"b"}`,
    `${mark},"x":{"y":1,"z":{"y":2},▲"y":3}}`,
    `${mark},"x":[{"y":1},{"y":1,▲"y":2}]}`,
    `${mark},"x":"\\\\","y":"\\\\\\"" ,▲"x":1}`,
    `${mark},"\\/":1,▲"/":2}`,
    `${mark}\r,▲"name"\r:"b"}`,
    `${mark},"é":"é" , ▲"\\u00e9" : 1}`,
  ];
  for (const marked of twice) refusedAt(marked, 'duplicate_key', 'it has a duplicate key');
  for (const [open, inner, close] of [
    ['[', '', ']'],
    ['{"x":', '1', '}'],
  ] as const) {
    const deep = (levels: number): string =>
      `${mark},"x":${open.repeat(levels - 2)}▲${open}${inner}${close.repeat(levels - 1)}}`;
    assert.equal(readVpt(`${HEADER}\n${deep(64).replace('▲', '')}\n`).records, 1);
    refusedAt(deep(65), 'too_deep', 'it is nested too deep');
  }
  const wide = `${mark},"x":[${'[],{},'.repeat(70)}[]],"y":{"z":{}}}`;
  assert.equal(readVpt(`${HEADER}\n${wide}\n`).records, 1);
});
