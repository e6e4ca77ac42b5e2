import { DESCRIPTORS } from '../generated/descriptors.js';
import { FRAME_HEAD, STATUS, withFrameHead } from './grpc/protocol.js';
import { ProtoReader, ProtoWriter, WIRE } from './protobuf.js';

const REQUEST = { file: 3, symbol: 4, extension: 5, extensionNumbers: 6, services: 7 } as const;
const RESPONSE = { files: 4, services: 6, error: 7 } as const;

interface DescriptorFile {
  readonly imports: readonly string[];
  /** `google.protobuf.FileDescriptorProto`. */
  readonly descriptor: Buffer;
}

const writer = new ProtoWriter();

/** gRPC server reflection; v1 and v1alpha have the same messages. */
export class Reflection {
  private readonly byName = new Map<string, DescriptorFile>();
  private readonly bySymbol = new Map<string, DescriptorFile>();

  constructor() {
    for (const { name, imports, symbols, descriptor } of DESCRIPTORS) {
      const file = { imports, descriptor: Buffer.from(descriptor, 'base64') };
      this.byName.set(name, file);
      for (const symbol of symbols) this.bySymbol.set(symbol, file);
    }
  }

  answer(message: Buffer): Buffer {
    const { host, kind, value } = readRequest(message);
    writer.begin(FRAME_HEAD);
    writer.string(1, host);
    writer.raw(2, message);
    if (kind === REQUEST.services) writeServices();
    else if (kind === REQUEST.file) this.writeFiles(this.byName.get(value), value);
    else if (kind === REQUEST.symbol) this.writeFiles(this.bySymbol.get(value), value);
    else
      writeError(
        STATUS.UNIMPLEMENTED,
        'supported requests: list_services, file_by_filename, file_containing_symbol',
      );
    return withFrameHead(writer.finish());
  }

  /** Writes the file and all its imports: some clients do not request imports. */
  private writeFiles(file: DescriptorFile | undefined, name: string): void {
    if (file === undefined) {
      writeError(STATUS.NOT_FOUND, `${name.slice(0, 200)} not found`);
      return;
    }
    const files = writer.open(RESPONSE.files);
    for (const { descriptor } of this.withImports(file)) writer.raw(1, descriptor);
    writer.close(files);
  }

  private withImports(file: DescriptorFile, found = new Set<DescriptorFile>()): Set<DescriptorFile> {
    found.add(file);
    for (const name of file.imports) {
      const imported = this.byName.get(name);
      if (imported !== undefined && !found.has(imported)) this.withImports(imported, found);
    }
    return found;
  }
}

function readRequest(message: Buffer): { host: string; kind: number; value: string } {
  const reader = new ProtoReader(message);
  let [host, kind, value] = ['', 0, ''];
  while (!reader.isDone) {
    const tag = reader.tag();
    const number = tag >>> 3;
    if ((tag & 7) !== WIRE.bytes) {
      reader.skip(tag);
    } else if (number === 1) {
      host = reader.string();
    } else if (number === REQUEST.file || number === REQUEST.symbol || number === REQUEST.services) {
      // The last field of a oneof wins.
      [kind, value] = [number, reader.string()];
    } else {
      if (number === REQUEST.extension || number === REQUEST.extensionNumbers) kind = number;
      reader.skip(tag);
    }
  }
  return { host, kind, value };
}

function writeServices(): void {
  const list = writer.open(RESPONSE.services);
  for (const name of DESCRIPTORS.flatMap(({ services }) => services)) {
    const service = writer.open(1);
    writer.string(1, name);
    writer.close(service);
  }
  writer.close(list);
}

function writeError(code: number, message: string): void {
  const error = writer.open(RESPONSE.error);
  writer.number(1, code);
  writer.string(2, message);
  writer.close(error);
}
