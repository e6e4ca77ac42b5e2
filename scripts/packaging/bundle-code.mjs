import { rolldown } from 'rolldown';
import { PACKAGES } from './entry-points.mjs';

/**
 * Entry points as few files of JavaScript, with what they import of ours inside. Everything else stays an import.
 *
 * @param {object} options
 * @param {Record<string, string>} options.input name of a file to be → its source's full path
 * @param {RegExp[]} options.external what stays an import
 * @param {string} options.out folder to write into
 */
export async function bundleCode({ input, external, out }) {
  const bundle = await rolldown({
    cwd: PACKAGES,
    input,
    platform: 'neutral',
    external,
    resolve: { conditionNames: ['tollgate:source', 'import', 'default'] },
  });
  await bundle.write({ dir: out, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' });
  await bundle.close();
}
