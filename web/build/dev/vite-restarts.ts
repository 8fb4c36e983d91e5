// The current Vite server. A change of a setting that Vite reads only at start starts another server.

import { createDevVite, type DevVite, type DevViteOptions } from './vite/dev-vite.ts'

export interface ViteRestarts {
  current(): DevVite
  /** Starts another server if a setting of the kind changed. `onStart` is called before the old server closes. */
  restartIfNeeded(onStart: () => void): Promise<boolean>
  close(): Promise<void>
}

/** Calls `onModuleError` with the error of every module that could not be transformed. */
export async function createViteRestarts(
  options: DevViteOptions,
  onModuleError: (error: unknown) => void,
): Promise<ViteRestarts> {
  const start = async () => {
    const vite = await createDevVite(options)
    vite.channel.onSend((payload) => {
      if (payload.type === 'error') onModuleError(payload.err)
    })
    return vite
  }
  const startSettings = () => {
    const { basePath, serverExternalPackages } = options.sources().config
    return JSON.stringify([basePath, serverExternalPackages])
  }

  let settings = startSettings()
  let vite = await start()
  return {
    current: () => vite,
    async restartIfNeeded(onStart) {
      const next = startSettings()
      if (next === settings) return false
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
