// What the benchmarks take from their command line: whole numbers by position, and --help.

import { parseArgs } from 'node:util'

/**
 * The numbers of the command line in the order of `defaults`, which names them. Prints `help` and ends the process with 0
 * for `--help`, with 1 and the reason for anything that is not a whole number from 1.
 */
export function readNumbers<Name extends string>(help: string, defaults: Record<Name, number>): Record<Name, number> {
  try {
    const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true })
    if (values.help) end(help, 0)
    const names = Object.keys(defaults) as Name[]
    if (positionals.length > names.length) throw new Error(`unexpected argument: ${positionals[names.length]}`)
    const given = positionals.map((text, index) => [names[index], wholeNumber(names[index] ?? '', text)])
    return { ...defaults, ...Object.fromEntries(given) }
  } catch (error) {
    return end(`${error instanceof Error ? error.message : error}\n\n${help}`, 1)
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} must be a whole number from 1, not ${text}`)
  return value
}

function end(text: string, code: 0 | 1): never {
  console[code === 0 ? 'log' : 'error'](text)
  process.exit(code)
}
