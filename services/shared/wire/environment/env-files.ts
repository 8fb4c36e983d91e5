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

/**
 * `\$` is a dollar sign; `$NAME` and `${NAME}` are values of the environment or of the files, `${NAME:-text}` one with a
 * default, which may have a reference.
 */
const REFERENCE = /\\\$|\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-((?:[^{}\\]|\{[^{}]*\})*))?\})/g

/**
 * Replaces references between the values of files. A name without a value is empty, and so is a value that refers to
 * itself. Throws for a value whose references would not end in a value that a process can have.
 *
 * @example expandEnv({ HOST: 'a.example', URL: 'https://$HOST' }, {}) // { HOST: 'a.example', URL: 'https://a.example' }
 */
export function expandEnv(values: EnvValues, inherited: EnvValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, text = '']) => [name, expandValue(name, text, { values, inherited })]),
  )
}

/** More than any site has. Each value that refers twice to the one before it would double the work. */
const MOST_REFERENCES = 1000
/** What Linux allows for one variable of a process. */
const LONGEST_VALUE = 128 * 1024

interface Known {
  values: EnvValues
  inherited: EnvValues
}

function expandValue(ofName: string, text: string, { values, inherited }: Known): string {
  let references = 0
  const fault = (what: string) => new Error(`${ofName} of the .env files: ${what}`)
  const expand = (part: string, open: ReadonlySet<string>): string => {
    const expanded = part.replaceAll(REFERENCE, (found: string, plain?: string, braced?: string, byDefault = '') => {
      const name = plain ?? braced
      if (name === undefined) return found.slice(1)
      if (++references > MOST_REFERENCES) throw fault(`has more than ${MOST_REFERENCES} references to other values`)
      const own = !open.has(name) ? ownValue(values, name) : undefined
      const given = ownValue(inherited, name) || expand(byDefault, open)
      return given || (own === undefined ? '' : expand(own, new Set([...open, name])))
    })
    if (expanded.length > LONGEST_VALUE && references > 0)
      throw fault(`is longer than ${LONGEST_VALUE} characters with the values that it refers to`)
    return expanded
  }
  return expand(text, new Set([ofName]))
}

/** `$constructor` is no member of the object that has the values. */
function ownValue(values: EnvValues, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}
