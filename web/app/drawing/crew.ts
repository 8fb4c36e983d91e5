// The threads that draw: each takes the next order when it has finished one.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Answer, Order } from './worker.ts'

/** A picture in work holds some 200 MB, so more threads than this would trade time for memory. */
const mostThreads = 4

/** Draws every order; `report` hears of each as it ends. Rejects at the first one that fails. */
export async function drawAll(orders: readonly Order[], report: (answer: Answer) => void): Promise<void> {
  const waiting = [...orders]
  const count = Math.min(mostThreads, availableParallelism(), waiting.length)
  const workers = Array.from({ length: count }, () => new Worker(new URL('./worker.ts', import.meta.url)))
  try {
    await Promise.all(workers.map((worker) => runThread(worker, waiting, report)))
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

function runThread(worker: Worker, waiting: Order[], report: (answer: Answer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = () => {
      const order = waiting.shift()
      if (order) worker.postMessage(order)
      else resolve()
    }
    worker.on('error', reject)
    worker.on('message', (answer: Answer) => {
      if (answer.kind === 'failed') {
        waiting.length = 0
        reject(Object.assign(new Error(`${answer.slug}: ${answer.message}`), { code: answer.code }))
        return
      }
      report(answer)
      next()
    })
    next()
  })
}
