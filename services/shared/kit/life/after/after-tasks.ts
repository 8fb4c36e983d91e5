// Work of the site's code behind a response: after() of portico/server. Bounded in number and in time, and part of the
// drain (O5).

import type { ServerResponse } from 'node:http'
import { createDigest } from '../../http/request-id.ts'
import type { Log } from '../../observe/log.ts'
import { boundToTrace, traced } from '../../observe/tracing.ts'

/** Tasks that run in one process at the same time. Tasks that wait for the end of a long stream do not count. */
export const AFTER_TASKS_LIMIT = 100
/** Tasks of one request, with those that its tasks add. */
export const AFTER_TASKS_OF_REQUEST = 20
/** Time limit of a task, counted from its start. */
export const AFTER_TIMEOUT_MS = 10_000

/** Its signal aborts at the time limit. */
type AfterTask = (signal: AbortSignal) => unknown

/** Adds a task of one request. A task above a limit is logged and not run. */
export type AddTask = (name: string, task: AfterTask) => void

interface RequestTasks {
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

interface Entry {
  name: string
  requestId: string
}

export function createAfterTasks(log: Log): AfterTasks {
  /** Tasks that wait or run. */
  const unfinished = new Set<Entry>()
  let running = 0
  let reportIdle: (() => void)[] = []

  const end = (entry: Entry) => {
    unfinished.delete(entry)
    if (unfinished.size > 0) return
    for (const report of reportIdle) report()
    reportIdle = []
  }

  const refuse = ({ name, requestId }: Entry, limit: number) =>
    log.warn({ event: 'after-refused', name, requestId, limit }, 'work behind a response not run')

  const run = async (entry: Entry, task: AfterTask): Promise<void> => {
    const { name, requestId } = entry
    if (running >= AFTER_TASKS_LIMIT) {
      refuse(entry, AFTER_TASKS_LIMIT)
      return end(entry)
    }
    running++
    try {
      await traced('after', () => withinLimit(name, task))
    } catch (error) {
      log.error({ error, digest: createDigest(), name, requestId }, 'work behind a response failed')
    }
    running--
    end(entry)
  }

  return {
    begin(requestId) {
      let waiting: (() => void)[] | undefined = []
      let added = 0
      return {
        add(name, task) {
          const entry = { name, requestId }
          if (added >= AFTER_TASKS_OF_REQUEST) return refuse(entry, AFTER_TASKS_OF_REQUEST)
          added++
          unfinished.add(entry)
          const start = boundToTrace(() => void run(entry, task))
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
