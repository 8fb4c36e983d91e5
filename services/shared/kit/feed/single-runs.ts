// Runs of one function that do not overlap and that all callers share.

/** A caller of `next` gets a run that began after the call. `run` does not reject. */
export function createSingleRuns<T>(run: () => Promise<T>) {
  let running: Promise<T> | undefined
  return {
    isRunning: () => running !== undefined,
    async next(): Promise<T> {
      await running
      running ??= run().finally(() => {
        running = undefined
      })
      return running
    },
  }
}
