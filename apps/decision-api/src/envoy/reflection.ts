import { DESCRIPTORS } from '../generated/descriptors.js';
import { grpc as requests } from '../generated/requests.js';
import { grpc as responses } from '../generated/responses.js';
import { decodeMessage, encodeFrame, STATUS } from './grpc/protocol.js';

const { ServerReflectionRequest } = requests.reflection.v1;
const { ServerReflectionResponse } = responses.reflection.v1;
type Response = responses.reflection.v1.ServerReflectionResponse.$Properties;

interface DescriptorFile {
  readonly imports: readonly string[];
  /** `google.protobuf.FileDescriptorProto`. */
  readonly descriptor: Buffer;
}

const SERVICES: Response = {
  listServicesResponse: {
    service: DESCRIPTORS.flatMap(({ services }) => services).map((name) => ({ name })),
  },
};

const UNIMPLEMENTED = errorOf(
  STATUS.UNIMPLEMENTED,
  'supported requests: list_services, file_by_filename, file_containing_symbol',
);

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
    const request = decodeMessage(ServerReflectionRequest, message);
    const head = { validHost: request.host, originalRequest: request };
    return encodeFrame(ServerReflectionResponse, { ...head, ...this.responseTo(request) });
  }

  private responseTo(request: requests.reflection.v1.ServerReflectionRequest): Response {
    const { fileByFilename, fileContainingSymbol } = request;
    switch (request.messageRequest) {
      case 'listServices':
        return SERVICES;
      case 'fileByFilename':
        return this.filesOf(this.byName.get(fileByFilename ?? ''), fileByFilename ?? '');
      case 'fileContainingSymbol':
        return this.filesOf(this.bySymbol.get(fileContainingSymbol ?? ''), fileContainingSymbol ?? '');
      default:
        return UNIMPLEMENTED;
    }
  }

  /** The file and all its imports: some clients do not request imports. */
  private filesOf(file: DescriptorFile | undefined, name: string): Response {
    if (file === undefined) return errorOf(STATUS.NOT_FOUND, `${name.slice(0, 200)} not found`);
    const files = [...this.withImports(file)].map(({ descriptor }) => descriptor);
    return { fileDescriptorResponse: { fileDescriptorProto: files } };
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

function errorOf(errorCode: number, errorMessage: string): Response {
  return { errorResponse: { errorCode, errorMessage } };
}
