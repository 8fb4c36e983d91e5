// Work of the site's code behind a response: after() of portico/server. Bounded in number and in time, and part of the
// drain (O5).

import type { ServerResponse } from 'node:http'
import { createDigest } from '../../http/request-id.ts'
import type { Log } from '../../observe/log.ts'
import { boundToTrace, traced } from '../../observe/tracing.ts'

/** Tasks that wait or run in one process. */
export const AFTER_TASKS_LIMIT = 100
/** Tasks of one request, with those that its tasks add. */
export const AFTER_TASKS_OF_REQUEST = 20
/** Time limit of a task, counted from its start. */
export const AFTER_TIMEOUT_MS = 10_000

/** Its signal aborts at the time limit. */
export type AfterTask = (signal: AbortSignal) => unknown

/** Adds a task of one request. A task above a limit is logged and not run. */
export type AddTask = (name: string, task: AfterTask) => void

export interface RequestTasks {
  /** Tasks wait for `start`; later they start immediately. */
  add: AddTask
  start: () => void
}

export interface AfterTasks {
  begin(requestId: string): RequestTasks
  /** Resolves when no task waits or runs. */
  idle(): Promise<void>
  /** The names of the tasks that wait or run. */
  unfinished(): string[]
}

export function createAfterTasks(log: Log): AfterTasks {
  const unfinished = new Set<{ name: string }>()
  let reportIdle: (() => void)[] = []

  const end = (entry: { name: string }) => {
    unfinished.delete(entry)
    if (unfinished.size > 0) return
    for (const report of reportIdle) report()
    reportIdle = []
  }

  const run = async (name: string, requestId: string, task: AfterTask): Promise<void> => {
    try {
      await traced('after', () => withinLimit(name, task))
    } catch (error) {
      log.error({ error, digest: createDigest(), name, requestId }, 'work behind a response failed')
    }
  }

  return {
    begin(requestId) {
      let waiting: (() => void)[] | undefined = []
      let added = 0
      return {
        add(name, task) {
          const limit = added >= AFTER_TASKS_OF_REQUEST ? AFTER_TASKS_OF_REQUEST : AFTER_TASKS_LIMIT
          if (limit === AFTER_TASKS_OF_REQUEST || unfinished.size >= AFTER_TASKS_LIMIT)
            return log.warn({ event: 'after-refused', name, requestId, limit }, 'work behind a response not run')
          added++
          const entry = { name }
          unfinished.add(entry)
          const start = boundToTrace(() => void run(name, requestId, task).finally(() => end(entry)))
          if (waiting) waiting.push(start)
          else start()
        },
        start() {
          const tasks = waiting ?? []
          waiting = undefined
          for (const start of tasks) start()
        },
      }
    },
    idle: () => (unfinished.size === 0 ? Promise.resolve() : new Promise((done) => reportIdle.push(done))),
    unfinished: () => [...unfinished].map(({ name }) => name),
  }
}

/**
 * Adds tasks that start when the response is closed and the request's work has ended. Most requests have none: everything
 * is made for the first task.
 */
export function tasksBehind(
  after: AfterTasks,
  requestId: string,
  response: ServerResponse,
  work: Promise<unknown> = Promise.resolve(),
): AddTask {
  let tasks: RequestTasks | undefined
  const begin = () => {
    const begun = after.begin(requestId)
    const start = () => (response.closed ? begun.start() : void response.once('close', begun.start))
    work.then(start, start)
    return begun
  }
  return (name, task) => {
    tasks ??= begin()
    tasks.add(name, task)
  }
}

function withinLimit(name: string, task: AfterTask): Promise<unknown> {
  const work = new AbortController()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const late = new Error(`after() of ${name} took longer than ${AFTER_TIMEOUT_MS} ms`)
      work.abort(late)
      reject(late)
    }, AFTER_TIMEOUT_MS)
    Promise.resolve(work.signal)
      .then(task)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
