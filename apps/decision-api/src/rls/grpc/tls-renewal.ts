import { unwatchFile, watchFile } from 'node:fs';
import type { ServerTls } from '@tollgate/http2';
import type { Logger } from 'pino';
import { readTls, type TlsFiles } from './tls.js';

/** How often files are looked at: what renews certificates does so days before they end. */
const LOOK_MS = 10_000;

/** Reads certificate and key anew when a file of theirs changes, also by a link that points elsewhere. */
export class TlsRenewal {
  private readonly paths: readonly string[];

  /** @param apply what new connections are encrypted by from then on */
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

  /** One of two files may be new already and the other not yet: what does not fit together is not used. */
  private readonly renew = () => {
    try {
      this.apply(readTls(this.files));
      this.logger.info({ cert: this.files.cert }, 'the certificate was read anew');
    } catch (error) {
      this.logger.error({ err: error }, 'the certificate that was is still used');
    }
  };
}
