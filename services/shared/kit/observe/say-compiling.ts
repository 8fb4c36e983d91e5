// What development says while the author waits for a compiler (V4).

/** Shorter waits are not said. */
const SLOW_MS = 1000

/**
 * Runs the work. Where it takes longer than a second, says `compiling WHAT …`, and at its end how long it took.
 *
 * @example sayCompiling('/about', load, (line) => log.info(line))
 */
export async function sayCompiling<T>(
  what: string,
  work: () => Promise<T>,
  say: (line: string, isOver: boolean) => void,
): Promise<T> {
  const startedAt = performance.now()
  let isSaid = false
  const timer = setTimeout(() => {
    isSaid = true
    say(`compiling ${what} …`, false)
  }, SLOW_MS)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
    if (isSaid) say(`compiled ${what} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`, true)
  }
}
