import { parentPort, workerData } from 'node:worker_threads';
import PDFDocument from 'pdfkit';
import { openFonts, type Weight } from '#src/features/commerce/documents/fonts.js';
import { layOut, type Run } from '#src/features/commerce/documents/text-layout.js';
import { isolated } from '#src/platform/printable/printable.js';
import type { BillingDocument } from './document.js';

const LEFT = 56;
const RIGHT = 539;
const WIDTH = RIGHT - LEFT;
const HALF = WIDTH / 2 - 12;
const TOP = 56;
const BOTTOM = 742;
const LINE_GAP = 2;
const SOFT = '#596364';
const TEXT = '#151a1b';
const LINE = '#cfd5d5';

/** Left edge and width of each column of the table. */
const COLUMNS = [
  { name: 'Description', x: LEFT, width: 250 },
  { name: 'Quantity', x: LEFT + 256, width: 55 },
  { name: 'Unit price', x: LEFT + 317, width: 80 },
  { name: 'Amount', x: LEFT + 403, width: 80 },
] as const;

export interface Letterhead {
  productName: string;
  accent: string;
  /** PNG. */
  logo: Uint8Array | null;
}

/** The `workerData` of this program. */
export interface PdfRequest {
  content: BillingDocument;
  letterhead: Letterhead;
}

/** Renders A4 pages with embedded fonts. Characters that all fonts lack appear as U+FFFD. */
async function renderPdf({
  content,
  letterhead: { productName, accent, logo },
}: PdfRequest): Promise<Uint8Array> {
  const info = { Title: content.title, Author: content.seller.companyName || productName };
  const doc = new PDFDocument({
    size: 'A4',
    margins: { top: 56, bottom: 40, left: LEFT, right: 56 },
    info,
    lang: 'en',
    bufferPages: true,
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => doc.once('end', resolve));
  const all = [...textsIn(content), productName].join('\n');
  const bold = [productName, content.title, ...content.totals.flat()].join('\n');
  const fonts = {
    regular: await openFonts(all, 'regular'),
    bold: await openFonts(bold, 'bold', all),
  };

  // All fonts have the lines of the brand's one, so that texts side by side have one baseline.
  const { ascent, descent } = fonts.regular[0].extents;
  const lineHeightOf = (size: number) => (ascent + descent) * size + LINE_GAP;
  const lay = (text: string, { font = 'regular', size = 10, width = HALF, maxLines }: Style) =>
    layOut(text, fonts[font], width / size, maxLines);
  /** Writes text, if needed on further pages, and returns the position below it. */
  const write = (text: string, x: number, y: number, style: Style = {}): number => {
    const { size = 10, color = TEXT, width = HALF, align = 'left', bottom = BOTTOM } = style;
    let top = y;
    for (const line of lay(text, style)) {
      if (top + lineHeightOf(size) > bottom) {
        doc.addPage();
        top = TOP;
      }
      const start = x + (width - line.width * size) * ALIGNMENT[align];
      for (const run of line.runs)
        drawRun(doc, run, { x: start + run.x * size, y: top + ascent * size, size, color });
      top += lineHeightOf(size);
    }
    return top;
  };
  const heightOf = (text: string, style: Style): number =>
    lay(text, style).length * lineHeightOf(style.size ?? 10);

  if (logo !== null) doc.image(Buffer.from(logo), LEFT, 52, { fit: [36, 36], valign: 'center' });
  const brandEnd = write(productName, LEFT + (logo === null ? 0 : 46), 60, {
    font: 'bold',
    size: 14,
    width: HALF - 46,
  });
  let factsEnd =
    write(content.title, LEFT + WIDTH / 2, 56, {
      font: 'bold',
      size: 20,
      color: accent,
      align: 'right',
      width: WIDTH / 2,
    }) + 8;
  for (const [label, value] of content.facts) {
    const above = factsEnd;
    write(label, LEFT + WIDTH / 2, above, { color: SOFT, width: 110 });
    factsEnd = write(value, LEFT + WIDTH / 2 + 112, above, { align: 'right', width: WIDTH / 2 - 112 });
  }

  const { seller, buyer } = content;
  const block = (heading: string, lines: readonly string[], x: number, y: number): number => {
    const below = write(heading, x, y, { color: SOFT, size: 9 });
    return write(lines.filter((line) => line !== '').join('\n') || '–', x, below + 2);
  };
  const partiesY = Math.max(brandEnd, factsEnd) + 28;
  const from = block(
    'From',
    [
      seller.companyName || productName,
      seller.address,
      labelled('Tax ID', seller.taxId),
      seller.registration,
      seller.contact,
    ],
    LEFT,
    partiesY,
  );
  const to = block(
    'Bill to',
    [buyer.name, buyer.address, labelled('Tax ID', buyer.taxId), buyer.email],
    LEFT + WIDTH / 2 + 12,
    partiesY,
  );

  let y = Math.max(from, to) + 28;
  const rule = (at: number) =>
    doc.moveTo(LEFT, at).lineTo(RIGHT, at).lineWidth(0.7).strokeColor(LINE).stroke();
  const row = (cells: readonly string[], style: Style): void => {
    const ends = COLUMNS.map(({ x, width }, index) =>
      write(cells[index] ?? '', x, y, { ...style, width, align: index === 0 ? 'left' : 'right' }),
    );
    y = Math.max(...ends);
  };
  const room = (height: number): void => {
    if (y + height <= BOTTOM) return;
    doc.addPage();
    y = TOP;
  };
  row(
    COLUMNS.map(({ name }) => name),
    { color: SOFT, size: 9 },
  );
  rule(y + 4);
  y += 10;
  for (const { description, period, quantity, unitPrice, amount } of content.lines) {
    room(heightOf(description, { width: COLUMNS[0].width }) + 40);
    row([description, String(quantity), unitPrice, amount], {});
    if (period !== '') y = write(period, LEFT, y + 1, { color: SOFT, size: 9, width: COLUMNS[0].width });
    rule(y + 6);
    y += 12;
  }
  for (const [index, [label, value]] of content.totals.entries()) {
    room(30);
    const isTotal = index === content.totals.length - 1;
    const style: Style = isTotal ? { font: 'bold', size: 12 } : { color: SOFT };
    const at = y;
    write(label, LEFT + WIDTH / 2 - 40, at, { ...style, width: WIDTH / 2 - 70 });
    y = write(value, RIGHT - 110, at, { ...style, width: 110, align: 'right' }) + 4;
  }
  if (content.note !== '') {
    const style: Style = { color: SOFT, size: 9, width: WIDTH };
    room(heightOf(content.note, style) + 24);
    write(content.note, LEFT, y + 24, style);
  }

  const footer = [
    isolated(seller.companyName || productName),
    labelled('Tax ID', seller.taxId),
    ...[seller.registration, seller.contact].filter((part) => part !== '').map(isolated),
  ]
    .filter((part) => part !== '')
    .join(' · ');
  const pages = doc.bufferedPageRange().count;
  for (let page = 0; page < pages; page += 1) {
    doc.switchToPage(page);
    if (content.stamp !== null) {
      doc
        .save()
        .rotate(-30, { origin: [LEFT + WIDTH / 2, 420] })
        .fillOpacity(0.12);
      write(content.stamp, LEFT, 370, {
        font: 'bold',
        size: 96,
        color: '#a83b0c',
        width: WIDTH,
        align: 'center',
      });
      doc.restore();
    }
    rule(766);
    const small: Style = { color: SOFT, size: 8, bottom: Infinity };
    write(footer, LEFT, 774, { ...small, width: WIDTH - 60, maxLines: 2 });
    write(`${page + 1} / ${pages}`, RIGHT - 50, 774, { ...small, width: 50, align: 'right' });
  }
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

interface Place {
  x: number;
  /** Of the baseline. */
  y: number;
  size: number;
  color: string;
}

function drawRun(doc: PDFKit.PDFDocument, { font, isRightToLeft, text }: Run, place: Place): void {
  if (text.trim() === '') return;
  const { x, y, size, color } = place;
  const { name, source } = font.forPdf(isRightToLeft);
  // The types of pdfkit do not know fonts of fontkit. With `features`, it does not cut the text at spaces.
  doc
    .registerFont(name, source as never)
    .font(name, size)
    .fillColor(color);
  doc.text(text, x, y, { lineBreak: false, baseline: 'alphabetic', features: [] });
  for (const { path, x: right, y: up, scale } of font.outlinesOf(text, isRightToLeft)) {
    doc
      .save()
      .translate(x + right * size, y - up * size)
      .scale(scale * size, -scale * size);
    doc.path(path).fill(color).restore();
  }
}

interface Style {
  font?: Weight;
  size?: number;
  color?: string;
  width?: number;
  align?: 'left' | 'right' | 'center';
  maxLines?: number;
  /** Where a page ends. */
  bottom?: number;
}

/** Share of the free width to the left. */
const ALIGNMENT = { left: 0, center: 0.5, right: 1 };

/** A label before a text of any direction, which does not change the order of what surrounds it. */
const labelled = (label: string, value: string): string =>
  value === '' ? '' : `${label} ${isolated(value)}`;

/** All texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

// The program of the thread that `renderOnThread` starts; it sends the PDF, then ends.
const pdf = await renderPdf(workerData as PdfRequest);
parentPort?.postMessage(pdf);
