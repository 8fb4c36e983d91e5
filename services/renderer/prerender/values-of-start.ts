// Which values of the running site a page reads while the build renders it: such a page is left to the first request (X9).
// The readers are noted, because code of the site may catch what they throw.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { CachedData, DataCache, EnvValues, RequestContext } from '@portico/shared/wire/bundles.ts'
import type { PublicValues } from '@portico/shared/wire/page-data.ts'
import { UnfinishedRender } from '../outcome/outcome.ts'

/** Marks the reason among the tags of data that `cached` keeps: each page that uses the data has read the value, too. */
const NOTE = '\0reads '

interface Run {
  reads: Set<string>
  faults: Set<string>
  /** Work behind the page may go on after its end. */
  hasEnded?: boolean
}

interface Noted<T> {
  result: T
  /** Why the page cannot be kept; undefined if nothing was read. */
  reason: string | undefined
}

export type ValuesOfStart = ReturnType<typeof createValuesOfStart>

export function createValuesOfStart(publicEnv: PublicValues) {
  const runs = new AsyncLocalStorage<Run>()
  const note = (text: string) => void runs.getStore()?.reads.add(text)
  const watched = new Proxy(publicEnv, {
    get(values, name) {
      if (typeof name === 'string') note(`reads publicEnv('${name}')`)
      return Reflect.get(values, name)
    },
  })

  return {
    /**
     * Runs a part of the build and notes what it reads. `tags` are those of the result. Throws UnfinishedRender if the running
     * site may succeed, and an error with what the page has thrown as its cause.
     */
    async noted<T>(run: () => Promise<T>, tagsOf: (result: T) => readonly string[] = () => []): Promise<Noted<T>> {
      const own: Run = { reads: new Set(), faults: new Set() }
      const { reads, faults } = own
      const result = await runs
        .run(own, run)
        .catch((error: unknown) => {
          // What was read is the cause that the author can name.
          if (reads.size > 0) throw new UnfinishedRender(textOf(reads), { cause: error })
          const Fault = error instanceof UnfinishedRender ? UnfinishedRender : Error
          throw new Fault(describe(error, faults), { cause: error })
        })
        .finally(() => {
          own.hasEnded = true
        })
      for (const tag of tagsOf(result)) if (tag.startsWith(NOTE)) reads.add(tag.slice(NOTE.length))
      return { result, reason: reads.size > 0 ? textOf(reads) : undefined }
    },

    /**
     * Takes the message of an error that a part of the page has thrown, which the error of the page does not name. Returns
     * whether a page is rendered that it can belong to.
     */
    fault(message: string): boolean {
      const run = runs.getStore()
      if (!run || run.hasEnded) return false
      run.faults.add(message)
      return true
    },

    context(context: RequestContext): RequestContext {
      return {
        ...context,
        publicEnv: watched,
        fetchSite(path) {
          const text = 'requests a path of the site, which does not run during the build'
          note(text)
          // With a cause, as a connection that is refused: the error is no mistake of the page.
          return Promise.reject(new TypeError(`fetch failed: ${path}`, { cause: new Error(text) }))
        },
        signBound() {
          note('has a form with bound arguments, which only the running site signs')
          return ''
        },
      }
    },

    env: (values: EnvValues, missing: readonly string[]) => withMissing(values, missing, note),

    /** A data cache whose results carry the notes of the function that loaded them. */
    dataCache({ read }: DataCache): DataCache {
      const load = async (data: CachedData) => {
        const reads = new Set<string>()
        const kept = await runs.run({ faults: new Set(), ...runs.getStore(), reads }, data.load)
        return { ...kept, tags: [...kept.tags, ...[...reads].map((text) => NOTE + text)] }
      }
      return { read: (key, data) => read(key, { ...data, load: () => load(data) }) }
    },
  }
}

/** Secrets; a value that the environment of the build lacks throws when it is read. */
function withMissing(values: EnvValues, missing: readonly string[], note: (text: string) => void): EnvValues {
  const all: Record<string, EnvValues[string]> = { ...values }
  for (const name of missing)
    Object.defineProperty(all, name, {
      enumerable: true,
      get() {
        note(`reads env.${name}, which has no value during the build`)
        throw new Error(`env.${name} has no value during the build`)
      },
    })
  return all
}

function textOf(reads: ReadonlySet<string>): string {
  return [...reads].join(' and ')
}

function describe(error: unknown, faults: ReadonlySet<string>): string {
  const message = messageOf(error)
  const cause = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : message
  const [fault = cause] = faults
  return message.includes(fault) ? message : `${message}: ${fault}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
