import fc from 'fast-check';
import { extractText } from 'unpdf';
import { describe, expect, it } from 'vitest';
import { findUnprintable } from '../../../platform/printable/printable.js';
import type { BillingDocument } from './document.js';
import { openFonts } from './fonts.js';
import { renderOnThread } from './pdf-thread.js';
import { layOut } from './text-layout.js';

const NAMES = {
  Greek: 'Ελληνική Εταιρεία ΑΕ',
  Chinese: '北京示例科技有限公司',
  'traditional Chinese': '龍門書局有限公司',
  Japanese: '株式会社東京プラン 𠮷野ビル',
  Korean: '주식회사 한국예제',
  Arabic: 'شركة النور للتجارة المحدودة بيت لاهيا',
  Hebrew: 'חברת הדוגמה בע״מ',
  Hindi: 'क्षत्रिय प्राइवेट लिमिटेड श्री किताब',
  Thai: 'บริษัท ที่ปั๊มน้ำ ผู้ใหญ่ จำกัด',
  Vietnamese: 'Công ty Trách nhiệm Hữu hạn',
  mixed: '株式会社 ABC Ltd — مرحبا (Test) 42',
};

const EMPTY = {
  ...{ companyName: '', address: '', taxId: '', registration: '', contact: '' },
  ...{ invoiceNote: '', taxLabel: '', taxBasisPoints: 0 },
};

async function render(buyer: string, productName: string): Promise<Uint8Array> {
  const content: BillingDocument = {
    ...{ tenantKey: 'acme', title: 'Invoice 1', facts: [], seller: EMPTY, lines: [], note: '', stamp: null },
    buyer: { name: buyer, address: '', taxId: '', email: '' },
    totals: [['Total', '₩40 ₹40 ₪40 ₫40']],
  };
  return renderOnThread(content, { productName, accent: '#0b6b64', logo: null });
}

/** Lines of the text layer. */
async function readDocument(buyer: string, productName = 'Tollgate'): Promise<string[]> {
  const pdf = await render(buyer, productName);
  expect(pdf.length).toBeLessThan(60_000);
  const { text } = await extractText(new Uint8Array(pdf), { mergePages: true });
  return text.split('\n').map((line) => line.trim());
}

/** Glyphs as drawn, from left to right. */
async function glyphsOf(text: string): Promise<number[]> {
  const lines = layOut(text, await openFonts(text, 'regular'), 1000);
  return lines
    .flatMap(({ runs }) => runs.toSorted((one, other) => one.x - other.x))
    .flatMap(({ font, text: letters, isRightToLeft }) => font.shape(letters, isRightToLeft))
    .flatMap(({ glyphs }) => glyphs.map(({ glyph }) => glyph));
}

describe.each(Object.entries(NAMES))('a name: %s', (_, name) => {
  it('is in the text of a document', async () => {
    const lines = await readDocument(name);
    expect(lines).toContain(name);
    expect(lines).toContain('Total ₩40 ₹40 ₪40 ₫40');
  });

  it('has a glyph for each character, and can be entered', async () => {
    expect(findUnprintable(name)).toBeUndefined();
    expect(await glyphsOf(name)).not.toContain(0);
  });
});

it('the name of a product may have letters of several scripts', async () => {
  expect((await readDocument('Acme', '東京 שלום'))[0]).toMatch(/^東京 שלום/);
});

it('Chinese characters have the same forms in bold as in the other texts of a document', async () => {
  const pdf = Buffer.from(await render('かな', '骨直')).toString('latin1');
  const families = Array.from(
    pdf.matchAll(/\+noto-sans-(sc|jp|kr)-\d+-(regular|bold)/g),
    ([, family]) => family,
  );
  expect(new Set(families)).toEqual(new Set(['jp']));
});

describe('shaping', () => {
  const shape = async (text: string, isRightToLeft: boolean) => {
    const fonts = await openFonts(text, 'regular');
    return (fonts[1] ?? fonts[0]).shape(text, isRightToLeft);
  };

  it('joins Arabic letters', async () => {
    const [joined, alone] = [await shape('ببب', true), await shape('ب', true)];
    const shapes = new Set([...joined, ...alone].map(({ glyphs }) => glyphs[0]?.glyph));
    expect(shapes.size).toBe(4);
  });

  it('joins Devanagari consonants, and puts a vowel before its consonant', async () => {
    expect(await shape('क्ष', false)).toMatchObject([{ text: 'क्ष', glyphs: [{}] }]);
    const [[syllable], [consonant]] = [await shape('कि', false), await shape('क', false)];
    expect(syllable?.glyphs[1]?.glyph).toBe(consonant?.glyphs[0]?.glyph);
  });

  it('puts Thai marks above each other', async () => {
    const [cluster] = await shape('ที่', false);
    const [letter, vowel, tone] = cluster?.glyphs ?? [];
    expect([letter?.y, vowel?.isSpacing, tone?.isSpacing]).toEqual([0, false, false]);
    expect(cluster?.glyphs).toHaveLength(3);
  });
});

describe('layout', () => {
  /** Runs from left to right, each from left to right. */
  const drawn = async (text: string) =>
    layOut(text, await openFonts(text, 'regular'), 1000).map(({ runs }) =>
      runs
        .toSorted((one, other) => one.x - other.x)
        .flatMap(({ font, text: letters, isRightToLeft }) => font.shape(letters, isRightToLeft))
        .map(({ text: letter }) => letter)
        .join(''),
    );

  it.each([
    ['שלום', 'םולש'],
    ['שלום ABC 12, עולם', 'םלוע ,ABC 12 םולש'],
    ['ABC שלום עולם 12', 'ABC 12 םלוע םולש'],
    ['Tax ID \u2068שלום\u2069 12 %', 'Tax ID םולש 12 %'],
  ])('draws %s from left to right as %s', async (text, visual) => {
    expect(await drawn(text)).toEqual([visual]);
  });

  it('breaks Thai between words, Chinese between characters, and no letter from its marks', async () => {
    const sourcesOf = async (text: string, width: number) =>
      layOut(text, await openFonts(text, 'regular'), width).map(({ source }) => source);
    expect(await sourcesOf('ประเทศไทยกรุงเทพ', 5)).toEqual(['ประเทศไทย', 'กรุงเทพ']);
    expect(await sourcesOf('北京示例科技', 4)).toEqual(['北京示例', '科技']);
    expect(await sourcesOf('ที่ที่ที่', 0.1)).toEqual(['ที่', 'ที่', 'ที่']);
  });

  it('cuts off lines after the last one that fits', async () => {
    const text = 'one two three four five six';
    const sources = layOut(text, await openFonts(text, 'regular'), 4, 2).map(({ source }) => source);
    expect(sources).toEqual(['one two ', 'three…']);
  });
});

describe('what no font has', () => {
  it('is replaced once per letter in documents with names of earlier releases', async () => {
    expect(await readDocument('Old 👩‍🚀 name ሰላም')).toContain('Old � name ���');
  });

  it('never reaches a document from a name that can be entered', async () => {
    // Parts of fonts are opened for each text, so that few long texts take less time than many short ones.
    const character = fc
      .oneof(
        fc.integer({ min: 0x20, max: 0x1_ffff }),
        ...[
          [0x370, 0x3ff],
          [0x590, 0x6ff],
          [0x900, 0x97f],
          [0xe00, 0xe7f],
          [0x3040, 0x30ff],
          [0x4e00, 0x9fff],
          [0xac00, 0xd7a3],
          [0x2_0000, 0x2_a6df],
        ].map(([min = 0, max = 0]) => fc.integer({ min, max })),
      )
      .map((codePoint) => String.fromCodePoint(codePoint))
      .filter((text) => text.isWellFormed() && findUnprintable(text) === undefined);
    const texts = fc.array(character, { minLength: 20, maxLength: 60 }).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(findUnprintable(text)).toBeUndefined();
        expect(await glyphsOf(text)).not.toContain(0);
      }),
      { numRuns: 8 },
    );
  });
});
