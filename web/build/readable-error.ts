// The bundler's errors as the author should read them: file, line and frame, without stacks and the machine's paths.

import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { BuildError } from './folder/app-folder.ts'

/** Turns whatever a build step threw into a BuildError. */
export function readableError(error: unknown, appDir: string): BuildError {
  if (error instanceof BuildError) return error
  const { message, id, loc, frame } = error as {
    message?: string
    id?: string
    loc?: { line?: number; column?: number }
    frame?: string
  }
  const where = id ? `${id}${loc?.line ? `:${loc.line}:${loc.column ?? 0}` : ''}\n` : ''
  const text = `${where}${message ?? String(error)}${frame ? `\n${frame}` : ''}`
  const plain = stripVTControlCharacters(text)
  // An error of our own plugins comes back as a line of the bundler's report.
  const own = /^BuildError: (.+)$/m.exec(plain)?.[1]
  const lines = (own ?? (process.stderr.isTTY ? text : plain)).split('\n').filter((line) => !/^\s+at /.test(line))
  // The bundler's frames name files from where the build was started.
  const paths = [`${relative(process.cwd(), appDir)}/`, `${appDir}/`].filter((path) => path !== '/')
  return new BuildError(
    paths.reduce((all, path) => all.replaceAll(path, ''), lines.join('\n')),
    { cause: error },
  )
}
