// Run in the folder of a package: assembles the Lua entries of its src/scripts with their parts and embeds them as text in its
// src/generated/scripts.ts.
// `--@include part` is replaced by the part's text; a missing, repeated or circular include is an error with its
// position. `--@include keys | keys-across` includes the first part in the script, and the second in its variant for keys
// in several slots of a cluster; either may be absent.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = process.cwd();
const scripts = join(root, 'src/scripts');

/** First line of a variant for keys in several slots. */
const ACROSS = '#!lua flags=allow-cross-slot-keys';

/**
 * The lines of `file`, and the text of each part that it includes as one piece.
 * @param {boolean} isAcross of the variant for several slots
 * @returns {{ text: string, part?: string }[]}
 */
function assemble(file, isAcross, chain = [], seen = new Set()) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.flatMap((line, index) => {
    const [, usual, across] = /^\s*--@include (\S*?)(?: ?\| (\S+))?$/.exec(line) ?? [];
    if (usual === undefined) return { text: isAcross && line === '#!lua' ? ACROSS : line };
    const name = isAcross && across !== undefined ? across : usual;
    if (name === '') return [];
    const place = `${relative(root, file)}:${index + 1}`;
    const part = join(scripts, 'parts', `${name}.lua`);
    if ([...chain, file].includes(part)) throw new Error(`${place}: ${name} includes itself`);
    if (seen.has(part)) throw new Error(`${place}: ${name} is included twice`);
    seen.add(part);
    try {
      return { text: textOf(assemble(part, isAcross, [...chain, file], seen)), part: name };
    } catch (error) {
      if (error.code === 'ENOENT' && error.path === part)
        throw new Error(`${place}: ${name}.lua does not exist`);
      throw error;
    }
  });
}

function textOf(pieces) {
  return pieces.map(({ text }) => text).join('\n');
}

/** The scripts: Lua files directly in src/scripts, and variants for several slots where they differ. */
function assembleAll() {
  const names = readdirSync(scripts)
    .filter((name) => name.endsWith('.lua'))
    .map((name) => name.slice(0, -4))
    .sort();
  return names.flatMap((name) => {
    const file = join(scripts, `${name}.lua`);
    const [pieces, across] = [assemble(file, false), assemble(file, true)];
    const script = { constant: `${constantOf(name)}_SCRIPT`, pieces };
    const variant = { constant: `${constantOf(name)}_ACROSS_SCRIPT`, pieces: across };
    return textOf(pieces) === textOf(across) ? [script] : [script, variant];
  });
}

/** The texts of parts that several scripts include, with the names of their constants. @returns {Map<string, string>} */
function sharedParts(all) {
  const included = all.flatMap(({ pieces }) => pieces).filter(({ part }) => part !== undefined);
  const repeated = included.filter(({ text }, i) => included.findIndex((piece) => piece.text === text) < i);
  const shared = new Map();
  for (const { text, part } of repeated) {
    if (shared.has(text)) continue;
    const constant = constantOf(part);
    shared.set(text, [...shared.values()].includes(constant) ? `${constant}_ACROSS` : constant);
  }
  return shared;
}

function constantOf(name) {
  return name.replaceAll(/[-/]/g, '_').toUpperCase();
}

function escaped(text) {
  return text.replace(/[\\`$]/g, (character) => `\\${character}`);
}

/** @returns {string} the text of src/generated/scripts.ts */
function generate() {
  const all = assembleAll();
  const shared = sharedParts(all);
  const parts = [...shared].map(([text, constant]) => `const ${constant} = \`${escaped(text)}\`;\n`);
  const constants = all.map(({ constant, pieces }) => {
    const lines = pieces.map(({ text }) => (shared.has(text) ? `\${${shared.get(text)}}` : escaped(text)));
    return `export const ${constant} = \`${lines.join('\n')}\n\`;\n`;
  });
  const head = '// Generated from src/scripts/*.lua by packages/limiter/tools/assemble.mjs. Do not edit.';
  return `${head}\n\n${[...parts, ...constants].join('\n')}`;
}

// With --check, which the build uses: writes nothing, and fails if the embedded text is outdated.
const output = join(root, 'src/generated/scripts.ts');
const text = generate();
if (!process.argv.includes('--check')) writeFileSync(output, text);
else if (!existsSync(output) || readFileSync(output, 'utf8') !== text) {
  console.error('src/generated/scripts.ts is out of date after an edit of a Lua script. Run `pnpm codegen`.');
  process.exitCode = 1;
}
