import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { PurgeCSS } from 'purgecss';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** The control plane of `pnpm dev`; production serves both from one origin. */
const controlPlaneUrl = process.env.CONTROL_PLANE_URL ?? 'http://127.0.0.1:4400';
const toControlPlane = { target: controlPlaneUrl };

const GENERATED = path.join(import.meta.dirname, 'src/generated/graphql.ts');
const DOCUMENT_MODULE = '\0graphql-document:';
let generated: Promise<string> | undefined;

/**
 * Makes a module of each generated document, so that a page loads its own only. `graphql(`…`)` becomes the generated
 * document of that name, as the client preset's own plugins do for Babel and SWC.
 */
const documentsByName: Plugin = {
  name: 'tollgate:graphql-documents',
  apply: 'build',
  enforce: 'pre',
  resolveId: (id) => (id.startsWith(DOCUMENT_MODULE) ? id : null),
  async load(id) {
    if (id !== GENERATED && !id.startsWith(DOCUMENT_MODULE)) return null;
    // Once: the build asks for each document.
    generated ??= readFile(GENERATED, 'utf8').then((code) =>
      code.replaceAll('= new Typed', '= /*#__PURE__*/ new Typed'),
    );
    const code = await generated;
    if (id === GENERATED) return code;
    const start = code.indexOf(`export const ${id.slice(DOCUMENT_MODULE.length)} = `);
    if (start === -1) throw new Error(`${GENERATED} has no ${id}: run pnpm codegen`);
    const document = code.slice(start, code.indexOf(' as unknown as ', start));
    return `import { TypedDocumentString } from '${GENERATED}';\n${document};`;
  },
  transform(code, id) {
    if (!id.includes('/src/') || !code.includes('/generated/')) return null;
    const called: string[] = [];
    const call = /graphql\(`\s*(query|mutation|subscription|fragment)\s+(\w+)[^`]*`\)/g;
    const replaced = code.replace(call, (_call, kind: string, name: string) => {
      const document = `${name}${kind === 'fragment' ? 'FragmentDoc' : 'Document'}`;
      called.push(`${document} as generated${document}`);
      return `generated${document}`;
    });
    const moduleOf = (kind: string, name: string) =>
      `${kind} { ${name} } from '${DOCUMENT_MODULE}${name.split(' ')[0]}';`;
    return {
      code: replaced
        .replace(/import \{ graphql \} from '[./]+generated\/index\.js';/, () =>
          called.map((name) => moduleOf('import', name)).join(' '),
        )
        .replace(
          /(import|export) \{([^}]*)\} from '([./]+generated\/graphql\.js)';/g,
          (_, kind, list, from) => {
            const names = (list as string).split(',').map((name) => name.trim());
            const isDocument = (name: string) => /^\w+(Document|FragmentDoc)$/.test(name);
            const documents = names.filter(isDocument).map((name) => moduleOf(kind, name));
            const others = names.filter((name) => name !== '' && !isDocument(name));
            return [...documents, `${kind} { ${others.join(', ')} } from '${from}';`].join(' ');
          },
        ),
      map: null,
    };
  },
};

const MANTINE = path.join(import.meta.dirname, 'node_modules/@mantine');
const CODE = /\.(?:mjs|tsx?)$/;

const isOfCore = (id: string) => id.includes('/@mantine/core/esm/');
const nameOfModule = (id: string) => id.split('/@mantine/core/esm/')[1];

/** Folders whose code imports Mantine's core. */
const IMPORTERS = ['src', 'node_modules/@mantine/notifications/esm', 'node_modules/@mantine/spotlight/esm'];

/** Names and module of each named import. */
function importsIn(code: string): { names: string[]; from: string }[] {
  return [...code.matchAll(/import \{([^}]*)\} from ['"]([^'"]+)['"]/g)].map(([, names = '', from = '']) => ({
    names: names.split(',').map((name) => name.trim().split(' ')[0] ?? ''),
    from,
  }));
}

/** Code by file of the modules of Mantine's core that the console and Mantine's other packages use, directly or not. */
async function usedModules(): Promise<Map<string, string>> {
  const core = path.join(MANTINE, 'core/esm');
  const index = importsIn(await readFile(path.join(core, 'index.mjs'), 'utf8')).filter(({ from }) =>
    from.startsWith('.'),
  );
  const fileOf = new Map(
    index.flatMap(({ names, from }) => names.map((name) => [name, path.join(core, from)])),
  );
  const waiting: string[] = [];
  for (const folder of IMPORTERS) {
    const at = path.join(import.meta.dirname, folder);
    const files = (await readdir(at, { recursive: true })).filter((name) => CODE.test(name));
    const imports = await Promise.all(
      files.map(async (file) => importsIn(await readFile(path.join(at, file), 'utf8'))),
    );
    const names = imports.flat().flatMap(({ names, from }) => (from === '@mantine/core' ? names : []));
    waiting.push(...names.flatMap((name) => fileOf.get(name) ?? []));
  }
  const found = new Map<string, string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    const code = await readFile(file, 'utf8');
    found.set(file, code);
    for (const [, other = ''] of code.matchAll(/from "(\.[^"]+)"/g))
      waiting.push(path.join(file, '..', other));
  }
  return found;
}

/** Modules whose styles the build keeps; empty until it reads Mantine's style sheet. */
let kept: ReadonlyMap<string, string> = new Map();

/** Removes styles of Mantine's unused components, a third of its style sheet. */
const usedStyles: Plugin = {
  name: 'tollgate:used-styles',
  apply: 'build',
  enforce: 'pre',
  async transform(code, id) {
    if (!id.endsWith('@mantine/core/styles.layer.css')) return null;
    kept = await usedModules();
    const raw = [...kept.values()].join('\n');
    const [purged] = await new PurgeCSS().purge({
      content: [{ raw, extension: 'js' }],
      css: [{ raw: code }],
      // Classes of components are named m_ and a hash.
      safelist: [/^(?!m_)/],
    });
    return purged === undefined ? null : { code: purged.css, map: null };
  },
  generateBundle(_options, bundle) {
    if (kept.size === 0) return;
    const names = new Set([...kept.keys()].map(nameOfModule));
    for (const file of Object.values(bundle)) {
      const modules = file.type === 'chunk' ? Object.keys(file.modules) : [];
      const lost = modules.find(
        (id) => id.endsWith('.module.mjs') && isOfCore(id) && !names.has(nameOfModule(id)),
      );
      if (lost !== undefined)
        throw new Error(`The style sheet lacks ${lost}: usedModules() does not find it`);
    }
  },
};

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
    plugins: [documentsByName, react(), usedStyles, precompressed],
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
        '/schema.graphql': toControlPlane,
        '/api/': toControlPlane,
      },
    },
  };
});
