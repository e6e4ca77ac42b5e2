import { createRequire } from 'node:module';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import PDFDocument from 'pdfkit';
import type { BillingDocument } from './document.js';

const FONTS = path.join(
  path.dirname(createRequire(import.meta.url).resolve('geist/font/sans')),
  'fonts/geist-sans',
);

const LEFT = 56;
const RIGHT = 539;
const WIDTH = RIGHT - LEFT;
const HALF = WIDTH / 2 - 12;
const BOTTOM = 742;
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

/** Renders A4 pages with embedded fonts. Characters that the fonts lack appear as boxes. */
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
  doc.registerFont('regular', path.join(FONTS, 'Geist-Regular.ttf'));
  doc.registerFont('bold', path.join(FONTS, 'Geist-SemiBold.ttf'));

  /** Writes text and returns the position below it. */
  const write = (text: string, x: number, y: number, style: Style = {}): number => {
    const { font = 'regular', size = 10, color = TEXT, width = HALF, align = 'left' } = style;
    doc.font(font).fontSize(size).fillColor(color).text(text, x, y, { width, align, lineGap: 2 });
    return doc.y;
  };

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
    y = 56;
  };
  row(
    COLUMNS.map(({ name }) => name),
    { color: SOFT, size: 9 },
  );
  rule(y + 4);
  y += 10;
  for (const { description, period, quantity, unitPrice, amount } of content.lines) {
    room(60);
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
    room(80);
    write(content.note, LEFT, y + 24, { color: SOFT, size: 9, width: WIDTH });
  }

  const footer = [
    seller.companyName || productName,
    labelled('Tax ID', seller.taxId),
    seller.registration,
    seller.contact,
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
    doc.font('regular').fontSize(8).fillColor(SOFT);
    doc.text(footer, LEFT, 774, { width: WIDTH - 60, height: 22, ellipsis: true });
    doc.text(`${page + 1} / ${pages}`, RIGHT - 50, 774, { width: 50, align: 'right', lineBreak: false });
  }
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

interface Style {
  font?: 'regular' | 'bold';
  size?: number;
  color?: string;
  width?: number;
  align?: 'left' | 'right' | 'center';
}

const labelled = (label: string, value: string): string => (value === '' ? '' : `${label} ${value}`);

// The program of the thread that `renderOnThread` starts; it sends the PDF, then ends.
const pdf = await renderPdf(workerData as PdfRequest);
parentPort?.postMessage(pdf);
