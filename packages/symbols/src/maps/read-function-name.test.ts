// The names of functions in source text. A map leads to the mark │.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFunctionName } from './read-function-name.ts';

const nameIn = (text: string): string | null =>
  readFunctionName(text.replace('│', ''), text.indexOf('│'));

test('a function has its own name, or that of what it is assigned to', () => {
  for (const [text, name] of [
    ['function │stall(): void {', 'stall'],
    ['│async function stallAsync() {', 'stallAsync'],
    ['function* │walk() {', 'walk'],
    ['export │default function mainLoop() {', 'mainLoop'],
    ['const f = │(): void => {', 'f'],
    ['│const f = (): void => {', 'f'],
    ['const f: Handler<Foo> = │(a) => {', 'f'],
    ['const f: (n: number) => void = (│n) => {', 'f'],
    ['const f = (│n: number) => {', 'f'],
    ['const f = (│cb: (x: number) => void) => {', 'f'],
    ['const f = async (│n) => 1', 'f'],
    ['var t=│e=>{for', 't'],
    ['let x = 1, y = │() => 2', 'y'],
    ['a ||= │() => 1', 'a'],
    ['a.b.│c = function () {', 'c'],
    ['o = { │p: () => {} }', 'p'],
    ['o = { p: │function () {} }', 'p'],
    ["o = { 'on-hit': │() => 1 }", 'on-hit'],
    ['spawnWave: │function namedInner() {', 'namedInner'],
  ] as const) {
    assert.equal(nameIn(text), name, text);
  }
});

test('methods and accessors have their names, a constructor that of its class', () => {
  for (const [text, name] of [
    ['  │update(dt) { return 1 }', 'update'],
    ['  static async │load<T>(x: T): Promise<void> {', 'load'],
    ['  │#hidden() {', '#hidden'],
    ['  get │danger() {', 'get danger'],
    ['  │set danger(value: number) {', 'set danger'],
    ['  stallField = (│n: number) => {', 'stallField'],
    ['class A {} class B { x() {} │constructor(a: C = {}) { }', 'B'],
    ['const K = class extends B { │constructor() {', 'K'],
    ['export │class Enemy {', 'Enemy'],
  ] as const) {
    assert.equal(nameIn(text), name, text);
  }
});

test('a callback, a call and a statement have no name', () => {
  for (const text of [
    '[1].forEach((│x) => {',
    'setTimeout(│() => {}, 5)',
    '│setTimeout(() => {}, 5)',
    'f(a, (│b) => c)',
    'on ? foo : (│y) => 1',
    '  if (│x) {',
    'x = y == │(z) => 1',
    'return │function () {',
    'export default │function () {',
    '│constructor() {}',
    '│',
    '│)(}{',
  ]) {
    assert.equal(nameIn(text), null, text);
  }
});

test('long and hostile text takes little time', { timeout: 20_000 }, () => {
  for (const part of ['a', '(', 'a.', 'a:', 'class ', 'a = ', 'async ', '<', ' ', '#', '{[']) {
    const text = part.repeat(400_000);
    readFunctionName(text, 0);
    readFunctionName(`${text}constructor(){}`, text.length);
  }
});
