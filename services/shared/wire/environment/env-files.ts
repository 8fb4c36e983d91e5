// The `.env` files of an app folder (K2): their names, their order, and what wins, as in Next.js. The callers read the
// files: the stack for its services, the build for the config file.

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
  return {
    values: Object.assign({}, ...found.map(({ values }) => values), inherited),
    files: found.filter(({ values }) => values !== undefined).map(({ name }) => name),
  }
}
