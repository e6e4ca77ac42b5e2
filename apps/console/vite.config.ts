import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';

/** The control plane of `pnpm dev`; production serves both from one origin. */
const toControlPlane = { target: process.env.CONTROL_PLANE_URL ?? 'http://127.0.0.1:4400' };

/** Few chunks: libraries and code of the first page, code that pages share, and one for each page. */
const CHUNKS = [
  { name: 'vendor', test: /node_modules/, tags: ['$initial' as const] },
  { name: 'console', tags: ['$initial' as const] },
  { name: 'charts', test: /node_modules.+uplot|components.plot|usage-canvas|decisions-chart/ },
  {
    name: 'limits',
    test: /zod|packages.(contracts|limiter)|lib.limit-(fields|simulation)/,
    minShareCount: 2,
  },
  { name: 'controls', minShareCount: 3 },
];

// The explorer is a separate build, so that its editor is not among the libraries of the first page.
export default defineConfig(({ mode }) => {
  const isExplorer = mode === 'explorer';
  return {
    // The control plane serves the Brotli and gzip copies.
    plugins: [react(), compression({ include: /\.(?:css|html|js)$/, threshold: 0 })],
    resolve: { conditions: ['tollgate:source', ...defaultClientConditions] },
    build: {
      target: 'es2023',
      // Fonts and images stay files: the content security policy allows no data: addresses.
      assetsInlineLimit: 0,
      emptyOutDir: !isExplorer,
      copyPublicDir: !isExplorer,
      rolldownOptions: isExplorer
        ? { input: 'explorer.html' }
        : { input: 'index.html', output: { codeSplitting: { groups: CHUNKS } } },
    },
    server: {
      proxy: {
        '/graphql': toControlPlane,
        '/schema.graphql': toControlPlane,
        '/api/': toControlPlane,
      },
    },
  };
});
