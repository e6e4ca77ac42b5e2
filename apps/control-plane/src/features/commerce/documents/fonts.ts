import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { DocumentFont } from '#src/features/commerce/documents/document-font.js';
import { isInvisible, printedText } from '#src/platform/printable/printable.js';

const { resolve } = createRequire(import.meta.url);

export type Weight = 'regular' | 'bold';

const BRAND_FONTS = { regular: 'Geist-Regular.ttf', bold: 'Geist-SemiBold.ttf' };

/** On the axis `wght` of the other fonts. */
const WEIGHTS = { regular: 400, bold: 600 };

/**
 * Fonts for what the brand's font lacks, with the parts to use. Fonts of Chinese characters are cut into numbered parts, most of
 * which no text needs.
 */
const FAMILIES: Record<string, string[] | 'numbered'> = {
  'noto-sans': [
    ...['latin', 'latin-ext', 'vietnamese', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext', 'devanagari'],
  ],
  'noto-sans-hebrew': ['hebrew'],
  'noto-sans-arabic': ['arabic'],
  'noto-sans-thai': ['thai'],
  'noto-sans-sc': 'numbered',
  'noto-sans-jp': 'numbered',
  'noto-sans-kr': 'numbered',
};

export interface FontPart {
  name: string;
  /** WOFF2 with the axis `wght`. */
  file: string;
  /** Its code points, and a few that it lacks: the first and the last of each range. */
  ranges: (readonly [first: number, last: number])[];
  /** Whether its characters are drawn one by one. */
  isNumbered: boolean;
}

/** All parts; those of `preferred` first. */
export async function listFontParts(preferred?: string): Promise<FontPart[]> {
  const families = Object.entries(FAMILIES).toSorted(
    ([one], [other]) => Number(other === preferred) - Number(one === preferred),
  );
  return (await Promise.all(families.map(([family, parts]) => partsOf(family, parts)))).flat();
}

async function partsOf(family: string, wanted: string[] | 'numbered'): Promise<FontPart[]> {
  const listFile = resolve(`@fontsource-variable/${family}/unicode.json`);
  const list = JSON.parse(await readFile(listFile, 'utf8')) as Record<string, string>;
  return Object.entries(list).flatMap(([part, unicodeRange]) => {
    const number = /^\[(\d+)\]$/.exec(part)?.[1];
    if (wanted === 'numbered' ? number === undefined : !wanted.includes(part)) return [];
    const name = `${family}-${number ?? part}`;
    const file = path.join(path.dirname(listFile), 'files', `${name}-wght-normal.woff2`);
    return [{ name, file, ranges: rangesOf(unicodeRange), isNumbered: wanted === 'numbered' }];
  });
}

/** @param unicodeRange as in CSS, such as `U+20-7e,U+a0` */
const rangesOf = (unicodeRange: string): FontPart['ranges'] =>
  unicodeRange.split(',').map((range) => {
    const [first = '', last = first] = range.replace('U+', '').split('-');
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
  });

export const claims = ({ ranges }: FontPart, codePoint: number): boolean =>
  ranges.some(([first, last]) => first <= codePoint && codePoint <= last);

/** The brand's font as a file. */
export const brandFontFile = (weight: Weight): string =>
  path.join(path.dirname(resolve('geist/font/sans')), 'fonts/geist-sans', BRAND_FONTS[weight]);

/** Replaces what no font has, such as emoji that were stored before names were checked. */
export const REPLACEMENT = '\ufffd';

/**
 * Opens the brand's font, and of the others those parts that a text needs.
 * @param document the text of all weights, which tells the forms of Chinese characters
 */
export async function openFonts(
  text: string,
  weight: Weight,
  document = text,
): Promise<[brand: DocumentFont, ...others: DocumentFont[]]> {
  const brand = new DocumentFont(`Geist-${weight}`, await readFile(brandFontFile(weight)));
  const fonts: [DocumentFont, ...DocumentFont[]] = [brand];
  const missing = new Set<number>();
  const open = async (characters: string) => {
    for (const character of characters) {
      const codePoint = character.codePointAt(0) ?? 0;
      if (!isInvisible(character) && !fonts.some((font) => font.has(codePoint))) missing.add(codePoint);
    }
    if (missing.size === 0) return;
    for (const part of await listFontParts(preferredFamily(document))) {
      const claimed = [...missing].filter((codePoint) => claims(part, codePoint));
      if (claimed.length === 0) continue;
      const ttf = await readPart(part, WEIGHTS[weight], claimed);
      const font = new DocumentFont(`${part.name}-${weight}`, ttf);
      const found = [...missing].filter((codePoint) => font.has(codePoint));
      if (found.length > 0) fonts.push(font);
      for (const codePoint of found) missing.delete(codePoint);
    }
  };
  await open(printedText(text).replaceAll('\n', ' '));
  if (missing.size > 0) await open(REPLACEMENT);
  return fonts;
}

/** Countries write some Chinese characters differently: kana and Hangul tell which forms are meant. */
function preferredFamily(text: string): string {
  if (/[\p{sc=Hira}\p{sc=Kana}]/u.test(text)) return 'noto-sans-jp';
  return /\p{sc=Hang}/u.test(text) ? 'noto-sans-kr' : 'noto-sans-sc';
}

/** Without characters that no text needs, except those that shaping may need. The space joins words to one run. */
async function readPart(
  { file, ranges, isNumbered }: FontPart,
  wght: number,
  needed: readonly number[],
): Promise<Uint8Array> {
  const { default: subsetFont } = await import('subset-font');
  const all = ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
  const kept = Array.from(isNumbered ? needed : all, (codePoint) => String.fromCodePoint(codePoint));
  return subsetFont(await readFile(file), `${kept.join('')} `, {
    targetFormat: 'truetype',
    variationAxes: { wght },
  });
}
