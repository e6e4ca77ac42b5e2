/** A longer line is skipped, not kept: memory stays bounded whatever the file holds. */
export const MAX_LINE_BYTES = 64 * 1024;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Cuts a byte stream into lines, in order; null stands for a line longer than {@link MAX_LINE_BYTES}. A last line
 * without a newline counts. Bytes that are not UTF-8 become U+FFFD.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string | null> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  const takeLine = (end: Buffer): string | null => {
    const line = restBytes === 0 ? end : Buffer.concat([...rest, end]);
    const tooLong = restBytes + end.length > MAX_LINE_BYTES;
    rest = [];
    restBytes = 0;
    return tooLong ? null : decode(line);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      yield takeLine(chunk.subarray(start, end));
      start = end + 1;
    }
    const open = chunk.subarray(start);
    if (restBytes <= MAX_LINE_BYTES && open.length > 0) rest.push(open);
    restBytes += open.length;
  }
  if (restBytes > 0) yield takeLine(Buffer.alloc(0));
}

function decode(line: Buffer): string {
  const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
  return line.toString('utf8', 0, end);
}
