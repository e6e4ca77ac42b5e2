import { create, type Font } from 'fontkit';
import {
  Blob,
  ClusterLevel,
  Direction,
  Face,
  Buffer as ShapingBuffer,
  Font as ShapingFont,
  shape,
} from 'harfbuzzjs';

/** A letter as it is drawn, or several that cannot be told apart in the drawing. Lengths are in units of the font. */
export interface Cluster {
  text: string;
  advance: number;
  /** The letter, then its marks. Glyph 0 is the box of a missing character; positions are relative to the start of the cluster. */
  glyphs: { glyph: number; x: number; y: number; isSpacing: boolean }[];
}

interface PdfFont {
  name: string;
  source: object;
}

/** One font file in one weight: HarfBuzz shapes its text, and fontkit embeds its glyphs. */
export class DocumentFont {
  readonly name: string;
  readonly #font: Font;
  readonly #shaper: ShapingFont;
  readonly #codePoints: Set<number>;
  readonly #shaped = new Map<string, Cluster[]>();
  readonly #forPdf = new Map<boolean, PdfFont>();

  /** @param ttf not variable */
  constructor(name: string, ttf: Uint8Array) {
    this.name = name;
    const face = new Face(new Blob(new Uint8Array(ttf).buffer));
    this.#font = create(Buffer.from(ttf)) as Font;
    this.#shaper = new ShapingFont(face);
    this.#codePoints = new Set(face.collectUnicodes());
  }

  /** Above and below the baseline, as shares of the font size. */
  get extents(): { ascent: number; descent: number } {
    const { ascent, descent, unitsPerEm } = this.#font;
    return { ascent: ascent / unitsPerEm, descent: -descent / unitsPerEm };
  }

  has(codePoint: number): boolean {
    return this.#codePoints.has(codePoint);
  }

  /** From left to right. */
  shape(text: string, isRightToLeft: boolean): Cluster[] {
    const key = `${isRightToLeft} ${text}`;
    const found = this.#shaped.get(key);
    if (found !== undefined) return found;
    const buffer = new ShapingBuffer();
    // Readers reverse text from right to left by characters, so that marks need their own.
    if (isRightToLeft) buffer.setClusterLevel(ClusterLevel.MONOTONE_CHARACTERS);
    buffer.addText(text);
    buffer.guessSegmentProperties();
    buffer.setDirection(isRightToLeft ? Direction.RTL : Direction.LTR);
    shape(this.#shaper, buffer);
    const clusters = clustersOf(text, buffer);
    this.#shaped.set(key, clusters);
    return clusters;
  }

  /** At font size 1. */
  widthOf(text: string, isRightToLeft: boolean): number {
    return advanceOf(this.shape(text, isRightToLeft)) / this.#font.unitsPerEm;
  }

  /**
   * The outlines of what {@link forPdf} does not draw, as SVG paths with their positions at font size 1: all glyphs of a cluster but
   * the first.
   */
  outlinesOf(text: string, isRightToLeft: boolean): { path: string; x: number; y: number; scale: number }[] {
    const scale = 1 / this.#font.unitsPerEm;
    let start = 0;
    return this.shape(text, isRightToLeft).flatMap(({ glyphs, advance }) => {
      const origin = start;
      start += advance;
      return glyphs.slice(1).map(({ glyph, x, y }) => {
        const path = this.#font.getGlyph(glyph).path.toSVG();
        return { path, x: (origin + x) * scale, y: y * scale, scale };
      });
    });
  }

  /**
   * The font for pdfkit, which takes fonts of fontkit, and its name there. It draws one glyph per cluster, so that readers find the
   * text as it was written.
   */
  forPdf(isRightToLeft: boolean): PdfFont {
    const found = this.#forPdf.get(isRightToLeft);
    if (found !== undefined) return found;
    const name = `${this.name}${isRightToLeft ? '-rtl' : ''}`;
    const characters = new PdfCharacters(this.#font, isRightToLeft);
    const source = Object.create(this.#font, {
      postscriptName: { value: name },
      layout: { value: (text: string) => characters.layOut(this.shape(text, isRightToLeft)) },
      createSubset: { value: () => characters },
    }) as object;
    const made = { name, source };
    this.#forPdf.set(isRightToLeft, made);
    return made;
  }
}

const SPACE = 0x20;
const NO_GLYPH = { glyph: 0, x: 0, y: 0, isSpacing: false };
const MARK_AFTER_LETTER = /.\p{Mn}/su;

const advanceOf = (clusters: readonly Cluster[]): number =>
  clusters.reduce((sum, { advance }) => sum + advance, 0);

function clustersOf(text: string, buffer: ShapingBuffer): Cluster[] {
  const infos = buffer.getGlyphInfos();
  const starts = [...new Set(infos.map(({ cluster }) => cluster))].sort((one, other) => one - other);
  const endOf = new Map(starts.map((start, index) => [start, starts[index + 1] ?? text.length]));
  const clusters = new Map<number, Cluster>();
  for (const [index, { xAdvance, xOffset, yOffset }] of buffer.getGlyphPositions().entries()) {
    const { codepoint: glyph = 0, cluster: start = 0 } = infos[index] ?? {};
    const cluster = clusters.get(start) ?? {
      text: text.slice(start, endOf.get(start)),
      advance: 0,
      glyphs: [],
    };
    clusters.set(start, cluster);
    cluster.glyphs.push({ glyph, x: cluster.advance + xOffset, y: yOffset, isSpacing: xAdvance > 0 });
    cluster.advance += xAdvance;
  }
  return [...clusters.values()].map(withBaseFirst);
}

/** Marks from right to left come before their letter, which readers expect at its start. */
function withBaseFirst(cluster: Cluster): Cluster {
  const base = cluster.glyphs.findIndex(({ isSpacing }) => isSpacing);
  return base <= 0 ? cluster : { ...cluster, glyphs: [...cluster.glyphs.splice(base, 1), ...cluster.glyphs] };
}

/**
 * The characters of a font in a PDF: a glyph with a width and a text. A glyph alone does not say what was written: many Arabic
 * letters share a shape, and some vowels stand before their consonant.
 */
class PdfCharacters {
  readonly #font: Font;
  readonly #characters = new Map<string, { id: number; advanceWidth: number; codePoints: number[] }>();
  readonly #glyphs: number[] = [];
  readonly #codes = new Map<number, number>();
  readonly #embedded = [0];

  readonly #isRightToLeft: boolean;

  constructor(font: Font, isRightToLeft: boolean) {
    this.#font = font;
    this.#isRightToLeft = isRightToLeft;
  }

  /** A run as fontkit returns it. */
  layOut(clusters: readonly Cluster[]) {
    const characters = clusters.flatMap((cluster) => this.#charactersOf(cluster));
    return {
      glyphs: characters.map(({ character }) => character),
      positions: characters.map(({ character: { advanceWidth }, x, y }) => ({
        ...{ xAdvance: advanceWidth, yAdvance: 0, xOffset: x, yOffset: y },
      })),
      advanceWidth: advanceOf(clusters),
    };
  }

  /**
   * pdf.js, which Firefox uses, takes a character that has a mark for a mark, and finds no space or line before it. So marks, and
   * what follows them, are the text of an empty glyph after the letter.
   */
  #charactersOf({ text, advance, glyphs: [first = NO_GLYPH] }: Cluster) {
    const { glyph, x, y } = first;
    const [letter = ''] = text;
    if (this.#isRightToLeft || !MARK_AFTER_LETTER.test(text))
      return [{ character: this.#characterOf(glyph, text, advance), x, y }];
    const space = this.#font.glyphForCodePoint(SPACE).id;
    return [
      { character: this.#characterOf(glyph, letter, advance), x, y },
      { character: this.#characterOf(space, text.slice(letter.length), 0), x: 0, y: 0 },
    ];
  }

  #characterOf(glyph: number, text: string, advanceWidth: number) {
    const key = `${glyph} ${advanceWidth} ${text}`;
    const found = this.#characters.get(key);
    if (found !== undefined) return found;
    const codePoints = Array.from(text, (character) => character.codePointAt(0) ?? 0);
    const made = { id: this.#glyphs.push(glyph) - 1, advanceWidth, codePoints };
    this.#characters.set(key, made);
    return made;
  }

  /** @param id of a character of `layOut` @returns its code in the PDF */
  includeGlyph(id: number): number {
    const code = this.#codes.get(id) ?? this.#embedded.push(this.#glyphs[id] ?? 0) - 1;
    this.#codes.set(id, code);
    return code;
  }

  encode(): Uint8Array {
    const subset = this.#font.createSubset() as unknown as { glyphs: number[]; encode: () => Uint8Array };
    // `includeGlyph` of fontkit would embed a glyph once.
    subset.glyphs = [...this.#embedded];
    return subset.encode();
  }
}
