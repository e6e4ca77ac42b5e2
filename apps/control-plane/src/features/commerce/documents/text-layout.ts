import { createRequire } from 'node:module';
import type { DocumentFont } from '#src/features/commerce/documents/document-font.js';
import { REPLACEMENT } from '#src/features/commerce/documents/fonts.js';
import { isInvisible, printedText } from '#src/platform/printable/printable.js';

const require = createRequire(import.meta.url);
// Neither has types for an ES module.
const bidi = (require('bidi-js') as () => { getEmbeddingLevels: (text: string) => { levels: Uint8Array } })();
const LineBreaker = require('linebreak') as new (
  text: string,
) => { nextBreak: () => { position: number } | null };

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Thai has no spaces between words. */
const thaiWords = new Intl.Segmenter('th', { granularity: 'word' });

const THAI = /\p{sc=Thai}/u;
const BIDI_CONTROLS = /[\u200e\u200f\u061c\u2066-\u2069]/g;
const FOLLOWS_ITS_NEIGHBOR = /^[\p{Z}\p{P}]$/u;

/** Adjacent text in one font and direction. Positions and widths are at font size 1. */
export interface Run {
  font: DocumentFont;
  isRightToLeft: boolean;
  text: string;
  x: number;
}

export interface Line {
  /** In reading order, so that readers of the PDF find the text in it. */
  runs: Run[];
  source: string;
  width: number;
}

/** What cannot be parted: a letter with its marks. */
interface Item {
  source: string;
  /** As drawn. */
  text: string;
  font: DocumentFont;
  /** Embedding level of the Unicode Bidirectional Algorithm: odd from right to left. */
  level: number;
}

/**
 * The lines of a text, at most `maxLines`, the last one with an ellipsis.
 * @param fonts the preferred one first; together they have every character, or {@link REPLACEMENT}
 * @param maxWidth in font sizes
 */
export function layOut(
  text: string,
  fonts: readonly DocumentFont[],
  maxWidth: number,
  maxLines = Infinity,
): Line[] {
  const linesOf = (whole: string) =>
    printedText(whole)
      .split('\n')
      .flatMap((paragraph) => breakIntoLines(paragraph, fonts, maxWidth));
  let lines = linesOf(text);
  const kept = Array.from(
    graphemes.segment(
      lines
        .slice(0, maxLines)
        .map(({ source }) => source)
        .join(''),
    ),
  );
  while (lines.length > maxLines && kept.length > 0) {
    kept.pop();
    lines = linesOf(
      `${kept
        .map(({ segment }) => segment)
        .join('')
        .trimEnd()}…`,
    );
  }
  return lines;
}

function breakIntoLines(paragraph: string, fonts: readonly DocumentFont[], maxWidth: number): Line[] {
  const lines: Item[][] = [[]];
  let width = 0;
  for (const piece of piecesOf(paragraph, fonts)) {
    const parts = lineOf(piece).width > maxWidth ? piece.map((item) => [item]) : [piece];
    for (const part of parts) {
      if (width > 0 && width + lineOf(part).width > maxWidth) {
        lines.push([]);
        width = 0;
      }
      lines.at(-1)?.push(...part);
      width += widthOf(runsOf(part));
    }
  }
  return lines.map(lineOf);
}

/** Items between the places where a line may end. */
function piecesOf(paragraph: string, fonts: readonly DocumentFont[]): Item[][] {
  const ends = new Set<number>();
  const breaker = new LineBreaker(paragraph);
  for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak()) ends.add(next.position);
  if (THAI.test(paragraph))
    for (const { index, isWordLike, segment } of thaiWords.segment(paragraph))
      if (isWordLike && THAI.test(segment)) ends.add(index);
  const { levels } = bidi.getEmbeddingLevels(paragraph);
  const pieces: Item[][] = [[]];
  let font = fonts[0];
  for (const { segment, index } of graphemes.segment(paragraph)) {
    if (ends.has(index)) pieces.push([]);
    for (const [part, [text, chosen]] of fontsFor(segment, fonts, font).entries()) {
      const source = part === 0 ? segment : '';
      pieces.at(-1)?.push({ source, text, font: chosen, level: levels[index] ?? 0 });
      font = chosen;
    }
  }
  return pieces;
}

/** A letter with its marks in one font, or in several if no font has all of them. */
function fontsFor(
  segment: string,
  fonts: readonly DocumentFont[],
  previous: DocumentFont | undefined,
): [text: string, font: DocumentFont][] {
  const text = segment.replace(BIDI_CONTROLS, '');
  const order =
    previous !== undefined && (text === '' || FOLLOWS_ITS_NEIGHBOR.test(text)) ? [previous, ...fonts] : fonts;
  const fontOf = (part: string) => order.find((font) => covers(font, part));
  const font = fontOf(text);
  if (font !== undefined) return [[text, font]];
  const parts = Array.from(text, (part) => [part, fontOf(part)] as const);
  if (parts.every((part): part is [string, DocumentFont] => part[1] !== undefined)) return parts;
  const fallback = fontOf(REPLACEMENT);
  return fallback === undefined ? [] : [[REPLACEMENT, fallback]];
}

const covers = (font: DocumentFont, text: string): boolean =>
  Array.from(text).every((character) => isInvisible(character) || font.has(character.codePointAt(0) ?? 0));

/** Without spaces at its end. */
function lineOf(items: readonly Item[]): Line {
  const last = items.findLastIndex(({ text }) => text.trim() !== '');
  const runs = runsOf(items.slice(0, last + 1));
  return { runs, source: items.map(({ source }) => source).join(''), width: widthOf(runs) };
}

const widthOf = (runs: readonly Run[]): number =>
  runs.reduce((sum, { font, text, isRightToLeft }) => sum + font.widthOf(text, isRightToLeft), 0);

function runsOf(items: readonly Item[]): Run[] {
  const runs: (Run & { level: number })[] = [];
  for (const { text, font, level } of items) {
    const last = runs.at(-1);
    if (last?.font === font && last.level === level) last.text += text;
    else runs.push({ font, level, isRightToLeft: level % 2 === 1, text, x: 0 });
  }
  let x = 0;
  for (const run of visualOrder(runs)) {
    run.x = x;
    x += run.font.widthOf(run.text, run.isRightToLeft);
  }
  return runs;
}

/** From left to right: rule L2 of the Unicode Bidirectional Algorithm. */
function visualOrder<R extends { level: number }>(runs: readonly R[]): R[] {
  const order = [...runs];
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level -= 1) {
    for (let start = 0; start < order.length; start += 1) {
      const length = order.slice(start).findIndex((run) => run.level < level);
      const end = length === -1 ? order.length : start + length;
      order.splice(start, end - start, ...order.slice(start, end).reverse());
      start = end;
    }
  }
  return order;
}
