import { FRAME_HEAD, withFrameHead } from '../grpc/framing.js';
import { STATUS } from '../grpc/status.js';
import { ProtoReader, WIRE } from '../wire/proto-reader.js';
import { ProtoWriter } from '../wire/proto-writer.js';
import { BASE_FILE, DESCRIPTOR_FILE, RLS_FILE, UNIT_FILE } from './envoy-files.js';
import { fileDescriptor } from './file-descriptor.js';
import { DURATION_FILE, STRUCT_FILE, WRAPPERS_FILE } from './google-files.js';
import { HEALTH_FILE, reflectionFile } from './grpc-files.js';
import type { FileSchema, MessageSchema } from './schema.js';

/** Every file that reflection knows; imports among them only. */
export const FILES: readonly FileSchema[] = [
  DURATION_FILE,
  WRAPPERS_FILE,
  STRUCT_FILE,
  UNIT_FILE,
  BASE_FILE,
  DESCRIPTOR_FILE,
  RLS_FILE,
  HEALTH_FILE,
  reflectionFile('v1'),
  reflectionFile('v1alpha'),
];

/** Fields of a request, and those of the response that answers them. */
const ASKS = { file: 3, symbol: 4, services: 7 } as const;
const ANSWERS = { files: 4, services: 6, error: 7 } as const;

const NOTHING = Buffer.alloc(0);

const writer = new ProtoWriter();

/** Says which services there are, and what their messages look like. */
export class Reflection {
  private readonly byName = new Map<string, FileSchema>();
  private readonly bySymbol = new Map<string, FileSchema>();
  private readonly services: string[] = [];
  private readonly descriptors = new Map<FileSchema, Buffer>();

  constructor() {
    for (const file of FILES) {
      this.byName.set(file.name, file);
      this.descriptors.set(file, fileDescriptor(file));
      for (const { name, methods } of file.services ?? []) {
        const service = `${file.package}.${name}`;
        this.services.push(service);
        this.bySymbol.set(service, file);
        for (const method of methods) this.bySymbol.set(`${service}.${method.name}`, file);
      }
      this.addSymbols(file, file.package, file);
    }
  }

  /** Answers one `ServerReflectionRequest`. @returns a frame. @throws WireError */
  answer(message: Buffer): Buffer {
    const { host, asks, value } = readRequest(message);
    writer.begin(FRAME_HEAD);
    writer.string(1, host);
    writer.raw(2, message);
    if (asks === ASKS.services) this.writeServices();
    else if (asks === ASKS.file) this.writeFiles(this.byName.get(value), value);
    else if (asks === ASKS.symbol) this.writeFiles(this.bySymbol.get(value), value);
    else writeError(STATUS.UNIMPLEMENTED, 'ask for services, files or symbols: there are no extensions');
    return withFrameHead(writer.finish());
  }

  private addSymbols(at: Pick<MessageSchema, 'messages' | 'enums'>, prefix: string, file: FileSchema): void {
    for (const { name } of at.enums ?? []) this.bySymbol.set(`${prefix}.${name}`, file);
    for (const message of at.messages ?? []) {
      this.bySymbol.set(`${prefix}.${message.name}`, file);
      this.addSymbols(message, `${prefix}.${message.name}`, file);
    }
  }

  private writeServices(): void {
    const list = writer.open(ANSWERS.services);
    for (const name of this.services) {
      const service = writer.open(1);
      writer.string(1, name);
      writer.close(service);
    }
    writer.close(list);
  }

  /** The file and all that it imports: some clients ask for none of them by themselves. */
  private writeFiles(file: FileSchema | undefined, asked: string): void {
    if (file === undefined) {
      writeError(STATUS.NOT_FOUND, `there is no ${asked.slice(0, 200)}`);
      return;
    }
    const files = writer.open(ANSWERS.files);
    for (const one of this.withImports(file)) writer.raw(1, this.descriptors.get(one) ?? NOTHING);
    writer.close(files);
  }

  private withImports(file: FileSchema, found = new Set<FileSchema>()): Set<FileSchema> {
    found.add(file);
    for (const name of file.imports) {
      const imported = this.byName.get(name);
      if (imported !== undefined && !found.has(imported)) this.withImports(imported, found);
    }
    return found;
  }
}

function readRequest(message: Buffer): { host: string; asks: number; value: string } {
  const reader = new ProtoReader(message);
  let [host, asks, value] = ['', 0, ''];
  while (!reader.isDone) {
    const tag = reader.tag();
    const number = tag >>> 3;
    if ((tag & 7) !== WIRE.bytes) {
      reader.skip(tag);
    } else if (number === 1) {
      host = reader.string();
    } else if (number === ASKS.file || number === ASKS.symbol || number === ASKS.services) {
      // Of a choice, the last one that was sent counts.
      [asks, value] = [number, reader.string()];
    } else {
      if (number === 5 || number === 6) asks = number;
      reader.skip(tag);
    }
  }
  return { host, asks, value };
}

function writeError(code: number, message: string): void {
  const error = writer.open(ANSWERS.error);
  writer.number(1, code);
  writer.string(2, message);
  writer.close(error);
}
