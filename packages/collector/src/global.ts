// The single script file: everything as properties of the global `svc`.
export * from './adapters/phaser.ts';
export * from './adapters/pixi.ts';
export * from './adapters/three.ts';
export * from './index.ts';
export * from './overlay/overlay.ts';
export { discardLeftOver, leftOver, makeSpool } from './spool.ts';
