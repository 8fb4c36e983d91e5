// The `.env` files of an app folder (K2): their names, their order, and references between their values. The build and the
// stack read the files; both have one meaning of them, which is that of Next.js.

export type EnvMode = 'development' | 'production'

/** Later files win over earlier ones, and the environment wins over all of them. */
export function envFileNames(mode: EnvMode): string[] {
  return ['.env', `.env.${mode}`, '.env.local', `.env.${mode}.local`]
}

/** `\$` is a dollar sign; `$NAME` and `${NAME}` are values of the environment or of the files. */
const REFERENCE = /\\\$|\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g

/**
 * Replaces references between the values of files. A name without a value is empty, and so is a value that refers to
 * itself. `inherited` is the environment.
 *
 * @example expandEnv({ HOST: 'a.example', URL: 'https://$HOST' }, {}) // { HOST: 'a.example', URL: 'https://a.example' }
 */
export function expandEnv(
  values: Readonly<Record<string, string>>,
  inherited: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const expand = (text: string, open: ReadonlySet<string>): string =>
    text.replaceAll(REFERENCE, (found, plain?: string, braced?: string) => {
      const name = plain ?? braced
      if (name === undefined) return found.slice(1)
      const own = Object.hasOwn(values, name) && !open.has(name) ? values[name] : undefined
      return inherited[name] ?? (own === undefined ? '' : expand(own, new Set([...open, name])))
    })
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, expand(text, new Set([name]))]))
}
