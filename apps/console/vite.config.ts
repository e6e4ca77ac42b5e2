import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

/** Where `pnpm dev` finds a running control plane; production serves both from one origin. */
const controlPlaneUrl = 'http://127.0.0.1:4400';
// It takes changes from its own origin only.
const toControlPlane = { target: controlPlaneUrl, headers: { origin: controlPlaneUrl } };

export default defineConfig({
  plugins: [react()],
  resolve: { conditions: ['tollgate:source', ...defaultClientConditions] },
  build: {
    target: 'es2023',
    // Fonts and images stay files: the content security policy allows no data: addresses.
    assetsInlineLimit: 0,
    // The explorer is a page of its own: its editor is larger than the whole console.
    rollupOptions: { input: ['index.html', 'explorer.html'] },
  },
  // The explorer's workers cannot be bundled ahead of time, and its page needs none of what the console does.
  optimizeDeps: { entries: ['index.html'] },
  server: {
    proxy: {
      '/graphql': toControlPlane,
      '/api/': toControlPlane,
      '/jobs-board': toControlPlane,
      '/live/': toControlPlane,
    },
  },
});
