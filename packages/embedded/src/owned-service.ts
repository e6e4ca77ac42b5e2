import { removeOwner, takeOverDirectory, writeOwner } from './owner-file.js';
import { type ServiceCommand, type ServiceProcess, startService } from './service-process.js';

/**
 * Starts a server that owns a directory: a leftover of an earlier starter that died is stopped first, and while the
 * server runs `<dir>.owner.json` says so.
 * @throws Error when a live program uses the directory, or as `startService` does
 */
export async function startOwnedService(dir: string, service: ServiceCommand): Promise<ServiceProcess> {
  await takeOverDirectory(dir, service.stopSignal);
  const server = await startService(service, (pid) => writeOwner(dir, pid));
  const stop = async () => {
    await server.stop();
    removeOwner(dir);
  };
  return { ...server, stop };
}
