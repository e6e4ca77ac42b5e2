import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
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

/** Few chunks: libraries and code of the first page, code that pages share, and one for each page. */
const CHUNKS = [
  { name: 'vendor', test: /node_modules/, tags: ['$initial' as const] },
  { name: 'console', tags: ['$initial' as const] },
  { name: 'charts', test: /node_modules.+uplot|components.plot|usage-canvas|decisions-chart/ },
  { name: 'limits', test: /zod|packages.contracts|lib.limit-fields/, minShareCount: 2 },
  { name: 'controls', minShareCount: 3 },
];

/** The best quality takes a second per megabyte: too long for the explorer's editor. */
const LARGE_BYTES = 1_000_000;

/** Writes a Brotli and a gzip copy of each text file, which the control plane serves. */
const precompressed: Plugin = {
  name: 'tollgate:precompressed',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    const texts = Object.keys(bundle).filter((file) => /\.(?:css|html|js)$/.test(file));
    const compress = async (file: string) => {
      const at = path.join(dir, file);
      const plain = await readFile(at);
      const params = { [constants.BROTLI_PARAM_QUALITY]: plain.length > LARGE_BYTES ? 9 : 11 };
      await writeFile(`${at}.br`, await promisify(brotliCompress)(plain, { params }));
      await writeFile(`${at}.gz`, await promisify(gzip)(plain, { level: 9 }));
    };
    await Promise.all(texts.map(compress));
  },
};

// The explorer is a separate build: its editor is larger than the whole console, and they share no code.
export default defineConfig(({ mode }) => {
  const isExplorer = mode === 'explorer';
  return {
    plugins: [documentsByName, react(), precompressed],
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
    // The explorer's workers cannot be pre-bundled.
    optimizeDeps: { entries: ['index.html'] },
    server: {
      proxy: {
        '/graphql': toControlPlane,
        '/api/': toControlPlane,
        '/live/': toControlPlane,
      },
    },
  };
});
