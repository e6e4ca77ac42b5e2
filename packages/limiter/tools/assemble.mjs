// Run in the folder of a package: assembles the Lua entries of its src/scripts with their parts and embeds them as text in its
// src/generated/scripts.ts.
// `--@include part` is replaced by the part's text; a missing, repeated or circular include is an error with its
// position. `--@include keys | keys-across` includes the first part in the script, and the second in its variant for keys
// in several slots of a cluster; either may be absent.
// `local NAME <const> = number` is a constant, as in Lua 5.4: the line is removed and the name replaced by its value in the
// rest of the file and the parts that it includes. Redis runs Lua 5.1, where a local for each constant would cost a register
// and, in every function that uses it, an upvalue, which each run creates. A part without code gives its constants to the
// file that includes it.
// A number at the end of a script's name is that of its keys.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = process.cwd();
const scripts = join(root, 'src/scripts');

/** First line of a variant for keys in several slots. */
const ACROSS = '#!lua flags=allow-cross-slot-keys';

/** A definition of a constant. */
const CONSTANT = /^\s*local (\w+) <const> = (.+?)(?:\s+--.*)?$/;

/** A comment to the end of the line, a string, or a name in capitals. */
const TOKENS = /--.*|'(?:[^'\\]|\\.)*'|\b[A-Z][A-Z0-9_]*\b/g;

/**
 * The lines of `file`, and the text of each part that it includes as one piece.
 * @param {boolean} isAcross of the variant for several slots
 * @param {Map<string, string>} constants values by name; receives those of the file
 * @returns {{ text: string, part?: string }[]}
 */
function assemble(file, isAcross, constants, chain = [], seen = new Set()) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  let isComment = false;
  return lines.flatMap((line, index) => {
    const place = `${relative(root, file)}:${index + 1}`;
    if (isComment || /^\s*--\[\[/.test(line)) {
      isComment = !line.includes(']]');
      return { text: line };
    }
    const [, constant, value] = CONSTANT.exec(line) ?? [];
    if (constant !== undefined) {
      if (constants.has(constant)) throw new Error(`${place}: ${constant} is defined twice`);
      const inlined = withValues(value, constants);
      constants.set(constant, /^\d+$/.test(inlined) ? inlined : `(${inlined})`);
      return [];
    }
    const [, usual, across] = /^\s*--@include (\S*?)(?: ?\| (\S+))?$/.exec(line) ?? [];
    if (line.includes('<const>')) throw new Error(`${place}: not a definition of a constant`);
    if (usual === undefined)
      return { text: isAcross && line === '#!lua' ? ACROSS : withValues(line, constants) };
    const name = isAcross && across !== undefined ? across : usual;
    if (name === '') return [];
    const part = join(scripts, 'parts', `${name}.lua`);
    if ([...chain, file].includes(part)) throw new Error(`${place}: ${name} includes itself`);
    if (seen.has(part)) throw new Error(`${place}: ${name} is included twice`);
    seen.add(part);
    try {
      const own = new Map(constants);
      const pieces = assemble(part, isAcross, own, [...chain, file], seen);
      if (codeOf(textOf(pieces)).trim() !== '') return { text: textOf(pieces), part: name };
      for (const [constant, value] of own) constants.set(constant, value);
      return [];
    } catch (error) {
      if (error.code === 'ENOENT' && error.path === part)
        throw new Error(`${place}: ${name}.lua does not exist`);
      throw error;
    }
  });
}

function withValues(code, constants) {
  return code.replaceAll(TOKENS, (token) => constants.get(token) ?? token);
}

function codeOf(text) {
  return text.replaceAll(/--\[\[[\s\S]*?\]\]|--.*|'(?:[^'\\\n]|\\.)*'/g, '');
}

/** @throws Error if `text` uses a name in capitals that is neither a constant nor a local: Redis reports it only when it runs */
function checkNames(text, file) {
  const code = codeOf(text);
  const names = new Set(code.match(/\b[A-Z][A-Z0-9_]+\b/g));
  const locals = [...code.matchAll(/\blocal ([\w, ]+)/g)].flatMap(([, list]) => list.split(/, */));
  for (const known of ['KEYS', 'ARGV', ...locals]) names.delete(known.trim());
  if (names.size > 0) throw new Error(`${relative(root, file)}: not defined: ${[...names].join(', ')}`);
}

function textOf(pieces) {
  return pieces.map(({ text }) => text).join('\n');
}

/** @throws Error if the number at the end of the script's name is not that of its keys; without a number, it varies */
function checkKeys(text, name) {
  const [, keys] = /-(\d+)$/.exec(name) ?? [];
  if (keys === undefined) return;
  const used = [...codeOf(text).matchAll(/\bKEYS\b(?:\[(\d+)\])?/g)].map(([, index]) => Number(index));
  if (Math.max(...used) !== Number(keys)) throw new Error(`${name}.lua: does not use ${keys} keys`);
}

/** The scripts: Lua files directly in src/scripts, and variants for several slots where they differ. */
function assembleAll() {
  const names = readdirSync(scripts)
    .filter((name) => name.endsWith('.lua'))
    .map((name) => name.slice(0, -4))
    .sort();
  return names.flatMap((name) => {
    const file = join(scripts, `${name}.lua`);
    const [pieces, across] = [assemble(file, false, new Map()), assemble(file, true, new Map())];
    for (const variant of [pieces, across]) checkNames(textOf(variant), file);
    checkKeys(textOf(pieces), name);
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
  return name.replace(/-\d+$/, '').replaceAll(/[-/]/g, '_').toUpperCase();
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
