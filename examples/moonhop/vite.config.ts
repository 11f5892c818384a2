// A build that can be published anywhere: relative URLs, index.html at the root of dist/, the collector from its source.
import { defineConfig } from 'vite';

const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

export default defineConfig({
  base: './',
  publicDir: 'made',
  resolve: { conditions: ['svc-source', 'module', 'browser', 'development|production'] },
  build: { target: 'es2022', sourcemap: false, assetsInlineLimit: 0, chunkSizeWarningLimit: 600 },
  server: { host: '127.0.0.1', headers: ISOLATED },
  preview: { host: '127.0.0.1', headers: ISOLATED },
});
