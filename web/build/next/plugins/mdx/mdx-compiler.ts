// Compiles the MDX of an app in a separate process, which runs while there is work (X6).

import { extname, join } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { BuildError } from '../../../build-error.ts'
import type { MdxCompiler } from '../../../mode.ts'
import { appRelative } from '../../../source/source.ts'
import { MDX_PACKAGES } from '../../../transforms/transforms.ts'
import { type RunOptions, spawnForConfig } from '../../run/run-config.ts'
import type { MdxJob, MdxReply } from './mdx-messages.ts'

const CHILD = join(import.meta.dirname, `mdx-child${extname(import.meta.filename)}`)
/** Under development a process without work ends after this time; the next change starts another. */
const IDLE_MS = 30_000
/** How long a process with work may report nothing: a plugin may not end. */
const SILENCE_LIMIT_MS = 60_000

/** The compiler with the options of a next.config.*; `extension` are the files that it compiles. */
export function createMdxCompiler(
  options: RunOptions,
  extension: RegExp,
  silenceLimitMs = SILENCE_LIMIT_MS,
): MdxCompiler {
  let current: ReturnType<typeof startProcess> | undefined
  return {
    matches: (path) => path.search(extension) >= 0,
    async compile(path, source) {
      if (!current?.isRunning()) current = startProcess(options, silenceLimitMs)
      const reply = await current.run(path, source)
      if (reply.kind === 'compiled') return reply.code
      const file = appRelative(options.appDir, path)
      if (reply.kind === 'missing') throw new BuildError(`${file}: ${reply.text}; ${MDX_PACKAGES}`)
      const place = reply.line === undefined ? '' : `:${reply.line}:${reply.column ?? 1}`
      throw new BuildError(`${file}${place}: ${reply.text}`)
    },
  }
}

function startProcess(options: RunOptions, silenceLimitMs: number) {
  const child = spawnForConfig(CHILD, options)
  const waiting = new Map<number, (reply: MdxReply) => void>()
  let last = 0
  let isRunning = true
  let idle: NodeJS.Timeout | undefined
  let late: NodeJS.Timeout | undefined
  // A build may end while the process has no work.
  const rest = () => {
    child.unref()
    child.channel?.unref()
    idle = setTimeout(() => {
      isRunning = false
      child.disconnect()
    }, IDLE_MS).unref()
  }
  const watch = () => {
    clearTimeout(late)
    if (waiting.size > 0 && isRunning) late = setTimeout(stop, silenceLimitMs)
  }
  const finish = (reply: MdxReply) => {
    waiting.get(reply.id)?.(reply)
    if (waiting.delete(reply.id) && waiting.size === 0 && isRunning) rest()
    watch()
  }
  // The config may send its own messages. The cast: mdx-child.ts sends messages with an id of this type only.
  child.on('message', (message) => {
    if (isRecord(message) && 'id' in message && 'kind' in message) finish(message as unknown as MdxReply)
  })
  const end = (text: string) => {
    isRunning = false
    for (const id of waiting.keys()) finish({ id, kind: 'fault', text })
  }
  const ended = () => end('the process that compiles MDX has ended')
  const stop = () => {
    end(
      `was not compiled: no file of MDX was compiled for ${silenceLimitMs / 1000} s; look for a plugin that does not end`,
    )
    child.kill('SIGKILL')
  }
  child.once('error', ended)
  child.once('exit', ended)
  return {
    isRunning: () => isRunning,
    run(path: string, source: string): Promise<MdxReply> {
      clearTimeout(idle)
      child.ref()
      child.channel?.ref()
      const job: MdxJob = { id: ++last, path, source }
      return new Promise((resolve) => {
        waiting.set(job.id, resolve)
        if (waiting.size === 1) watch()
        child.send(job, (error) => {
          if (error) ended()
        })
      })
    },
  }
}
