// The current Vite server. A change of a setting that Vite reads only at start starts another server.

import { basename } from 'node:path'
import { createDevVite, type DevViteOptions } from './vite/dev-vite.ts'

/** Calls `onModuleError` with the error of every module that could not be transformed. */
export async function createViteRestarts(options: DevViteOptions, onModuleError: (error: unknown) => void) {
  const start = async () => {
    const vite = await createDevVite(options)
    vite.channel.onSend((payload) => {
      if (payload.type === 'error') onModuleError(payload.err)
    })
    return vite
  }
  const startSettings = () => {
    const { folder, config, next } = options.sources()
    const { basePath, i18n, serverExternalPackages, transpilePackages, browserStubs, plugins } = config
    const switches = [i18n !== undefined, folder.hasErrorHook === true]
    // A config that is read again has other plugins: no comparison shows whether they do the same.
    return {
      plain: JSON.stringify([basePath, switches, serverExternalPackages, transpilePackages, browserStubs, next]),
      plugins,
      mdx: next.mdx,
    }
  }

  let settings = startSettings()
  let vite = await start()
  /**
   * Whether a setting of the kind changed, or one of these files (absolute paths) is a configuration that Vite reads at
   * its start.
   */
  const needsRestart = (files: ReadonlySet<string>): boolean => {
    const next = startSettings()
    const isSame = next.plain === settings.plain && next.plugins === settings.plugins && next.mdx === settings.mdx
    return !isSame || files.values().some(isStartConfig)
  }
  return {
    current: () => vite,
    needsRestart,
    /** Starts another server if these files need one. `onStart` is called before the old server closes. */
    async restartIfNeeded(files: ReadonlySet<string>, onStart: () => void): Promise<boolean> {
      if (!needsRestart(files)) return false
      const next = startSettings()
      const old = vite
      vite = await start()
      settings = next
      onStart()
      old.reloadPages()
      await old.close()
      return true
    },
    close: () => vite.close(),
  }
}

/**
 * Vite and Tailwind read the configurations of CSS when the server starts. After a change of a tsconfig.json Vite discards
 * its module graphs but not the modules that have run: without another server, some modules of a package would run twice
 * (F1).
 */
function isStartConfig(file: string): boolean {
  return /^(postcss\.config\.|\.postcssrc|tailwind\.config\.|\.browserslistrc$|[jt]sconfig\.json$)/.test(basename(file))
}
