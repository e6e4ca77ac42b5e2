import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { ServerTls } from '@tollgate/http2';

/** PEM files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** CA of client certificates: others are rejected. */
  readonly clientCa: string | undefined;
  /** `optional`: clients without a certificate are accepted, those with another CA's are not. */
  readonly clientCert?: 'required' | 'optional';
}

const VARIABLES = { cert: 'RLS_TLS_CERT_FILE', key: 'RLS_TLS_KEY_FILE', clientCa: 'RLS_TLS_CLIENT_CA_FILE' };

/** Reads certificate and key. @throws Error that names the variable, and never says what is in a file */
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
