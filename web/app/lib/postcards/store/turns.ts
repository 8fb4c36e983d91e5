// Bounds how much work runs and waits at the same time. Work that has waited too long never begins, so it has no effect
// after its client got an error.

export interface TurnLimits {
  /** Work at the same time. */
  running: number
  /** Work that waits; more is rejected immediately. */
  waiting: number
  waitMs: number
}

/**
 * @example
 * const turns = createTurns({ running: 5, waiting: 200, waitMs: 5000 })
 * await turns(() => query())
 */
export function createTurns({ running: most, waiting: mostWaiting, waitMs }: TurnLimits) {
  let running = 0
  const queue: (() => void)[] = []

  const wait = (): Promise<void> => {
    if (queue.length >= mostWaiting) return Promise.reject(new Error(`${queue.length} others wait for the database`))
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(begin), 1)
        reject(new Error(`the database had no free connection for ${waitMs} ms`))
      }, waitMs)
      queue.push(begin)
    })
  }

  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    // The work that ends hands its place over: the number of running work stays the same.
    if (running >= most) await wait()
    else running++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}
