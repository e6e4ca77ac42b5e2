import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** The control plane of `pnpm dev`; production serves both from one origin. */
const controlPlaneUrl = process.env.CONTROL_PLANE_URL ?? 'http://127.0.0.1:4400';
const toControlPlane = { target: controlPlaneUrl };

/**
 * Replaces `graphql(`…`)` by the generated document of that name, as the client preset's own plugins do for Babel and SWC.
 * Without it the first page loads every document of the console twice: as the key and as the value of a map.
 */
const documentsByName: Plugin = {
  name: 'tollgate:graphql-documents',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (!id.includes('/src/') || !code.includes('generated/index.js')) return null;
    const names: string[] = [];
    const call = /graphql\(`\s*(query|mutation|subscription|fragment)\s+(\w+)[^`]*`\)/g;
    const replaced = code.replace(call, (_call, kind: string, name: string) => {
      const document = `${name}${kind === 'fragment' ? 'FragmentDoc' : 'Document'}`;
      names.push(`${document} as generated${document}`);
      return `generated${document}`;
    });
    const from = /import \{ graphql \} from '([./]+generated)\/index\.js';/;
    return {
      code: replaced.replace(from, `import { ${names.join(', ')} } from '$1/graphql.js';`),
      map: null,
    };
  },
};

export default defineConfig({
  plugins: [documentsByName, react()],
  resolve: { conditions: ['tollgate:source', ...defaultClientConditions] },
  build: {
    target: 'es2023',
    // Fonts and images stay files: the content security policy allows no data: addresses.
    assetsInlineLimit: 0,
    // The explorer is a separate page: its editor is larger than the whole console.
    rollupOptions: { input: ['index.html', 'explorer.html'] },
  },
  // The explorer's workers cannot be pre-bundled, and its page shares nothing with the console.
  optimizeDeps: { entries: ['index.html'] },
  server: {
    proxy: {
      '/graphql': toControlPlane,
      '/api/': toControlPlane,
      '/live/': toControlPlane,
    },
  },
});
