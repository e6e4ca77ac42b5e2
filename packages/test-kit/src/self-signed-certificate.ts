import { generateKeyPairSync, sign } from 'node:crypto';

export interface Certificate {
  cert: string;
  key: string;
}

/** For a grpc-js client connected by address: TLS needs a server name. */
export const AS_LOCALHOST = { 'grpc.ssl_target_name_override': 'localhost' };

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OID = 0x06;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OID, Buffer.from('2a8648ce3d040302', 'hex')));
const COMMON_NAME = der(OID, Buffer.from('550403', 'hex'));
const SUBJECT_ALT_NAME = der(OID, Buffer.from('551d11', 'hex'));

/** Creates a self-signed certificate for `localhost` and 127.0.0.1. */
export function selfSignedCertificate(commonName = 'localhost'): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(commonName)))));
  const time = (text: string) => der(GENERALIZED_TIME, Buffer.from(text));
  const names = der(
    SEQUENCE,
    der(DNS_NAME, Buffer.from('localhost')),
    der(IP_ADDRESS, Buffer.from([127, 0, 0, 1])),
  );
  const body = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    der(SEQUENCE, time('20200101000000Z'), time('21200101000000Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, names)))),
  );
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', body, privateKey));
  const bytes = der(SEQUENCE, body, ECDSA_WITH_SHA256, signature);
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** Encodes an ASN.1 value in DER: tag, length, contents. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const long =
    content.length > 255 ? [0x82, content.length >> 8, content.length & 255] : [0x81, content.length];
  return Buffer.concat([Buffer.from([tag, ...(content.length < 128 ? [content.length] : long)]), content]);
}
