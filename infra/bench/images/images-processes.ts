// Images services as processes, each with its own ports, and readers of their metrics.

import type { ChildProcess } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { type ImageSettings, MANIFEST_FORMAT } from '@portico/shared/wire/build-output.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import { DEFAULT_IMAGES } from '@portico/shared/wire/default-images.ts'
import { ended } from '../../e2e/harness/processes.ts'
import { startService, waitFor } from '../processes.ts'

export interface ImagesProcess {
  /** The public port. */
  url: string
  innerUrl: string
  child: ChildProcess
  /** One number of `/metrics`, with a label like `phase="encode"` where the metric has several; 0 while the metric is absent. */
  metric: (name: string, label?: string) => Promise<number>
  /** Kills the process without a signal before. */
  kill: () => Promise<void>
}

interface ImagesProcessOptions {
  /** Holds `dist/manifest.json` (writeImagesApp) and the disk cache. */
  appDir: string
  siteUrl: string
  environment?: Record<string, string>
}

/** An app folder that contains only image settings; the others are the defaults. */
export async function writeImagesApp(folder: string, changes: Partial<ImageSettings> = {}): Promise<void> {
  const images: ImageSettings = { ...DEFAULT_IMAGES, ...changes }
  await mkdir(join(folder, 'dist'), { recursive: true })
  await writeFile(
    join(folder, 'dist/manifest.json'),
    JSON.stringify({
      format: MANIFEST_FORMAT,
      version: PORTICO_VERSION,
      buildId: 'images',
      basePath: '',
      semantics: {},
      images,
    }),
  )
}

/** Starts an images service; resolves when it is ready. */
export async function startImagesProcess(options: ImagesProcessOptions): Promise<ImagesProcess> {
  const [port, innerPort] = [await freePort(), await freePort()]
  const child = startService('images', {
    HOST: '127.0.0.1',
    PORT: String(port),
    INNER_PORT: String(innerPort),
    APP_DIR: options.appDir,
    CACHE_DIR: join(options.appDir, `cache-${port}`),
    SITE_URL: options.siteUrl,
    LOG_LEVEL: 'error',
    ...options.environment,
  })
  const innerUrl = `http://127.0.0.1:${innerPort}`
  await waitFor(`${innerUrl}/readyz`)
  return {
    url: `http://127.0.0.1:${port}`,
    innerUrl,
    child,
    async metric(name, label = '') {
      const text = await (await fetch(`${innerUrl}/metrics`)).text()
      const line = text.split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(label))
      return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? 0)
    },
    async kill() {
      child.kill('SIGKILL')
      await ended(child)
    },
  }
}
