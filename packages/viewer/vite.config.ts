// Builds the viewer into dist/: relative addresses, nothing inline, workers as files, so that a strict CSP holds.
import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
  worker: { format: 'es' },
});
