// One of the threads that draw. It is told a slug and a file, and answers when the file is there.
import { parentPort } from 'node:worker_threads'
import { produce } from './produce.ts'
import { fullSize, innerSize } from './recipe.ts'
import { scenes } from './scenes/index.ts'

export type Order = { slug: string; file: string }
export type Answer =
  | { kind: 'done'; slug: string; bytes: number; ms: number }
  | { kind: 'failed'; slug: string; message: string; code: string }

async function work({ slug, file }: Order): Promise<Answer> {
  const started = performance.now()
  try {
    const scene = scenes.find((candidate) => candidate.slug === slug)
    if (!scene) throw new Error(`there is no scene ${slug}`)
    const bytes = await produce(scene, file, innerSize, fullSize)
    return { kind: 'done', slug, bytes, ms: performance.now() - started }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return { kind: 'failed', slug, message: error instanceof Error ? error.message : String(error), code }
  }
}

parentPort?.on('message', async (order: Order) => parentPort?.postMessage(await work(order)))
