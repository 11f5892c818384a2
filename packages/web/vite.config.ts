// Builds the islands into dist/assets, each named by its content; the server finds them by the manifest.
import { defineConfig } from 'vite';

export default defineConfig({
  publicDir: false,
  build: {
    target: 'es2024',
    manifest: true,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: {
        game: 'src/islands/game.ts',
        upload: 'src/islands/upload.tsx',
        editor: 'src/islands/editor.tsx',
        copy: 'src/islands/copy.ts',
        done: 'src/islands/done.ts',
        profile: 'src/islands/profile.ts',
      },
    },
  },
});
