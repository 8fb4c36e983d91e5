// Takes the place of the package `@next/mdx` while a next.config.* runs: notes the options, where the package would write a
// webpack function. The note is a symbol, which other wrappers copy with the config.

const MDX = Symbol.for('portico.mdx')

interface MdxNote {
  /** The files that are compiled. */
  extension: RegExp
  /** Those of `@mdx-js/mdx`; plugins may be functions or names of packages. */
  options: Readonly<Record<string, unknown>>
}

function createMdx({ extension = /\.mdx$/, options = {} }: Partial<MdxNote> = {}) {
  return (config: object = {}): object => ({ ...config, [MDX]: { extension, options } })
}

export default createMdx
// What `require` returns.
export { createMdx as 'module.exports' }

/** The note of a config that is wrapped. */
export function mdxNoteOf(config: unknown): MdxNote | undefined {
  return (config as { [MDX]?: MdxNote } | null | undefined)?.[MDX]
}
