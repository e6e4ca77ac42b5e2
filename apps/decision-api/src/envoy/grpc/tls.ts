import { X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Logger, StartError } from '@tollgate/logging';
import type { ServerTls } from './http2-server.js';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** CA of client certificates: others are rejected. */
  readonly clientCa: string | undefined;
  /** `optional`: clients without a certificate are accepted, those with another CA's are not. */
  readonly clientCert?: 'required' | 'optional';
}

const VARIABLES = { cert: 'RLS_TLS_CERT_FILE', key: 'RLS_TLS_KEY_FILE', clientCa: 'RLS_TLS_CLIENT_CA_FILE' };

/** @throws StartError that names the variable, without file contents */
export function readTls({ cert, key, clientCa, clientCert = 'required' }: TlsFiles): ServerTls {
  const tls: ServerTls = {
    cert: read('cert', cert),
    key: read('key', key),
    ...(clientCa === undefined
      ? {}
      : {
          ca: read('clientCa', clientCa),
          requestCert: true,
          rejectUnauthorized: clientCert === 'required',
        }),
  };
  try {
    createSecureContext(tls);
  } catch (error) {
    const names = Object.values(VARIABLES).slice(0, clientCa === undefined ? 2 : 3);
    throw new StartError(`${names.join(', ')}: ${(error as Error).message}`, { cause: error });
  }
  return tls;
}

function read(name: keyof typeof VARIABLES, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new StartError(`${VARIABLES[name]} ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Unix seconds. */
export function expiresAtS({ cert }: Pick<ServerTls, 'cert'>): number {
  return Date.parse(new X509Certificate(cert as Buffer).validTo) / 1000;
}

/** Polling interval for certificate files. Renewal tools replace certificates days before they expire. */
const LOOK_MS = 10_000;

/** Reloads certificate and key when one of the files changes, including changed symlinks. */
export class TlsRenewal {
  private readonly paths: readonly string[];

  constructor(
    private readonly files: TlsFiles,
    private readonly apply: (tls: ServerTls) => void,
    private readonly logger: Logger,
    lookMs = LOOK_MS,
  ) {
    this.paths = [files.cert, files.key, ...(files.clientCa === undefined ? [] : [files.clientCa])];
    for (const path of this.paths) watchFile(path, { interval: lookMs, persistent: false }, this.renew);
  }

  close(): void {
    for (const path of this.paths) unwatchFile(path, this.renew);
  }

  /** During a renewal one file may be new and the other old: a mismatched pair is ignored. */
  private readonly renew = () => {
    try {
      this.apply(readTls(this.files));
      this.logger.info({ cert: this.files.cert }, 'certificate reloaded');
    } catch (error) {
      this.logger.error({ err: error }, 'the certificate that was is still used');
    }
  };
}
