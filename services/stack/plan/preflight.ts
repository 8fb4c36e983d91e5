// Checks for faults that would stop the stack later, and reports them first, by the names of the settings.

import { randomBytes } from 'node:crypto'
import { mkdir, stat, unlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { ConfigError, type ConfigFault } from '@portico/shared/kit/config/config.ts'
import { APP_ROUTERS, pagesRule } from '@portico/shared/wire/errors/pages-rule.ts'
import type { PlanConfig } from './plan-stack.ts'

/** Throws ConfigError with all faults. */
export async function checkMachine(
  config: Pick<PlanConfig, 'host' | 'port' | 'appDir' | 'dataDir' | 'cacheDir' | 'isDevelopment'>,
) {
  const faults = await Promise.all([
    portFault(config),
    folderFault('DATA_DIR', config.dataDir),
    folderFault('CACHE_DIR', config.cacheDir),
    appFault(config.appDir),
  ])
  const found = faults.filter((fault) => fault !== undefined)
  if (found.length > 0) throw new ConfigError(found)
}

function portFault({
  host,
  port,
  isDevelopment,
}: Pick<PlanConfig, 'host' | 'port' | 'isDevelopment'>): Promise<ConfigFault | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        resolve({ name: 'PORT', value: String(port), rule: 'a free port: another program listens on it' })
      else if (error.code === 'EACCES')
        resolve({ name: 'PORT', value: String(port), rule: 'a port that this user may open (1024 or higher)' })
      else
        resolve({
          name: isDevelopment ? '--host' : 'HOST',
          value: host,
          rule: `an address of this machine (${error.message})`,
        })
    })
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

async function folderFault(name: string, folder: string): Promise<ConfigFault | undefined> {
  try {
    await mkdir(folder, { recursive: true })
    // Tested by writing: this covers permissions, read-only mounts and full disks.
    const probe = join(folder, `.write-${randomBytes(4).toString('hex')}`)
    await writeFile(probe, 'x')
    await unlink(probe)
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { name, value: folder, rule: `a folder that can be written (${reason})` }
  }
}

async function appFault(appDir: string): Promise<ConfigFault | undefined> {
  // An app of Next.js may have its pages in src/.
  const isFolder = async (name: string) =>
    (await stat(join(appDir, name)).catch(() => undefined))?.isDirectory() === true
  const firstOf = async (names: readonly string[]) => {
    for (const name of names) if (await isFolder(name)) return name
    return undefined
  }
  if ((await firstOf(['pages', 'src/pages'])) !== undefined) return undefined
  return { name: 'APP_DIR', value: appDir, rule: pagesRule(await firstOf(APP_ROUTERS)) }
}
