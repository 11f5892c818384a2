import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOfShader } from './shader-name.ts';

test('a name that a source defines is the name of the shader', () => {
  const rows: [source: string, name: string][] = [
    ['#version 300 es\n#define SHADER_NAME Rock\nvoid main() {}', 'Rock'],
    ['  #define  SHADER_NAME\t pixi-shader-2\n', 'pixi-shader-2'],
    ['#define SHADER_TYPE tree', 'tree'],
    ['#define SHADER_NAME vertex:default\n', 'default'],
    ['#define SHADER_NAME fragment:default\n', 'default'],
    ['//#define SHADER_NAME sky\n', 'sky'],
    ['//@name water\n', 'water'],
    ['// @name effects/water.frag\n', 'effects/water.frag'],
  ];
  for (const [source, name] of rows) {
    assert.equal(nameOfShader([source]), name, source);
    assert.equal(nameOfShader(['uniform vec4 a;', source]), name, source);
  }
});

test('a shader without a name is named by its textures, its other uniforms and a hash', () => {
  const rows: [source: string, words: string][] = [
    [
      `UNITY_LOCATION(0) uniform mediump sampler2D _MainTex;
      uniform vec4 hlslcc_mtx4x4unity_ObjectToWorld[4]; uniform vec4 _MainTex_ST;
      UNITY_UNIFORM mediump vec4 _Color; uniform vec3 _WorldSpaceCameraPos; uniform vec4 _Time;`,
      '_MainTex _Color',
    ],
    ['uniform float b;uniform samplerCube sky;uniform lowp vec2 c;uniform vec2 d;', 'sky b c'],
    ['uniform mat4 modelViewMatrix; uniform mat4 projectionMatrix;', ''],
    ['uniform sampler2D a; uniform sampler2D a;', 'a'],
    ['layout(std140) uniform Material { vec4 albedo; };', ''],
    [
      '@group(0) @binding(0) var<uniform> light : vec4f;\n@group(0) @binding(1) var rock: texture_2d<f32>;',
      'rock light',
    ],
    ['fn main() { var i: u32 = 0; }', ''],
  ];
  for (const [source, words] of rows) {
    const pattern = new RegExp(`^shader ${words}${words === '' ? '' : ' '}[0-9a-f]{6}$`);
    assert.match(nameOfShader([source]) ?? '', pattern, source);
  }
});

test('the same sources have the same name, and others have another', () => {
  const source = 'uniform sampler2D a; void main() {}';
  const name = nameOfShader([source, 'x']);
  assert.equal(nameOfShader([source, 'x']), name);
  for (const other of [[source], [source, 'y'], [`${source} `, 'x'], ['x', source]]) {
    assert.notEqual(nameOfShader(other), name);
  }
  // It does not depend on the version of the collector or the browser.
  assert.equal(nameOfShader(['void main() {}']), 'shader cb9270');
});

test('only the first 16,384 characters of a source are read', () => {
  const name = '\n#define SHADER_NAME Rock';
  const before = 16_384 - name.length;
  assert.equal(nameOfShader([' '.repeat(before).concat(name)]), 'Rock');
  const long = 'x'.repeat(16_384);
  assert.match(nameOfShader([long + name]) ?? '', /^shader [0-9a-f]{6}$/);
  assert.equal(nameOfShader([`${long}a`]), nameOfShader([`${long}b`]));
  assert.notEqual(nameOfShader([`${long}a`]), nameOfShader([`${long}ab`]), 'the length counts');
});

test('a source of any form takes linear time', () => {
  for (const one of [
    ' ',
    '\n',
    '//',
    '//\n',
    'uniform ',
    'uniform ap ',
    ')',
    ') ',
    ')var<',
    '#define ',
    'p',
  ]) {
    const source = one.repeat(16_384);
    assert.match(nameOfShader([source, `x${source}`]) ?? '', /^shader /, JSON.stringify(one));
  }
});

test('empty sources have no name', () => {
  assert.equal(nameOfShader([]), undefined);
  assert.equal(nameOfShader(['', '']), undefined);
});
