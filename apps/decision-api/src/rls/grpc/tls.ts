import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';

/** PEM files; with `clientCa`, callers without a certificate of it are refused. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | undefined;
}

export type ServerTls = SecureContextOptions & { requestCert?: boolean; rejectUnauthorized?: boolean };

const VARIABLES = { cert: 'RLS_TLS_CERT_FILE', key: 'RLS_TLS_KEY_FILE', clientCa: 'RLS_TLS_CLIENT_CA_FILE' };

/** Reads certificate and key. @throws Error that names the variable, and never says what is in a file */
export function readTls({ cert, key, clientCa }: TlsFiles): ServerTls {
  const tls: ServerTls = {
    cert: read('cert', cert),
    key: read('key', key),
    ...(clientCa === undefined
      ? {}
      : { ca: read('clientCa', clientCa), requestCert: true, rejectUnauthorized: true }),
  };
  try {
    createSecureContext(tls);
  } catch (error) {
    const names = Object.values(VARIABLES).slice(0, clientCa === undefined ? 2 : 3);
    throw new Error(`${names.join(', ')}: ${(error as Error).message}`, { cause: error });
  }
  return tls;
}

function read(name: keyof typeof VARIABLES, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`${VARIABLES[name]} ${path}: ${(error as Error).message}`, { cause: error });
  }
}
