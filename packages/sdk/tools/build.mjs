import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import manifest from '../package.json' with { type: 'json' };

// Bundles each subpath with what it needs of ours, contracts included; peers stay imports. With --types, their types too: that
// takes longer, and only a package needs them.

const root = fileURLToPath(new URL('..', import.meta.url));
const entries = Object.entries(manifest.publishConfig.exports).map(([subpath, target]) => {
  const name = target.default.slice('./dist/'.length, -'.js'.length);
  return [name, manifest.exports[subpath]['tollgate:source']];
});

await rm(new URL('../dist', import.meta.url), { recursive: true, force: true });
const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(entries),
  platform: 'neutral',
  external: [/^node:/, ...Object.keys(manifest.peerDependencies).map((name) => new RegExp(`^${name}(/|$)`))],
  resolve: { conditionNames: ['tollgate:source', 'types', 'import', 'default'] },
  plugins: process.argv.includes('--types') ? [dts({ tsconfig: 'tsconfig.json', eager: true })] : [],
});
await bundle.write({ dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' });
await bundle.close();
