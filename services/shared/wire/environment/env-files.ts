// The `.env` files of an app folder (K2): their names, their order, what wins, and references between values, as in
// Next.js. The callers read the files: the stack for its services, the build for the config file.

export type EnvMode = 'development' | 'production'

export type EnvValues = Readonly<Record<string, string | undefined>>

/** Later files win. */
export function envFilesOf(mode: EnvMode): string[] {
  return ['.env', `.env.${mode}`, '.env.local', `.env.${mode}.local`]
}

/**
 * The values of the files and of the environment, which wins, and the names of the files that exist. `read` returns
 * undefined for a file that does not.
 */
export function readEnvFiles(
  mode: EnvMode,
  inherited: EnvValues,
  read: (name: string) => EnvValues | undefined,
): { values: Record<string, string | undefined>; files: string[] } {
  const found = envFilesOf(mode).map((name) => ({ name, values: read(name) }))
  const own: EnvValues = Object.assign({}, ...found.map(({ values }) => values))
  return {
    values: { ...expandEnv(own, inherited), ...inherited },
    files: found.filter(({ values }) => values !== undefined).map(({ name }) => name),
  }
}

/** `\$` is a dollar sign; `$NAME` and `${NAME}` are values of the environment or of the files. */
const REFERENCE = /\\\$|\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g

/**
 * Replaces references between the values of files. A name without a value is empty, and so is a value that refers to
 * itself.
 *
 * @example expandEnv({ HOST: 'a.example', URL: 'https://$HOST' }, {}) // { HOST: 'a.example', URL: 'https://a.example' }
 */
export function expandEnv(values: EnvValues, inherited: EnvValues): Record<string, string> {
  const expand = (text: string, open: ReadonlySet<string>): string =>
    text.replaceAll(REFERENCE, (found: string, plain?: string, braced?: string) => {
      const name = plain ?? braced
      if (name === undefined) return found.slice(1)
      const own = Object.hasOwn(values, name) && !open.has(name) ? values[name] : undefined
      return inherited[name] ?? (own === undefined ? '' : expand(own, new Set([...open, name])))
    })
  return Object.fromEntries(Object.entries(values).map(([name, text = '']) => [name, expand(text, new Set([name]))]))
}
