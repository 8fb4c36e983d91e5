const NAMES = [
  'HARBOUR',
  'EMPTY_FIRST',
  'LOCAL_WINS',
  'PRODUCTION_WINS',
  'PRODUCTION_LOCAL_WINS',
  'OTHER_MODES',
  'REFERENCE',
  'JOINED',
  'ESCAPED',
  'QUOTED',
  'ONLY_LOCAL',
  'ONLY_PRODUCTION',
  'ONLY_OTHER_MODES',
]

/** The variables of the files as the server has them; those that it lacks are absent. */
export function values(): Record<string, string> {
  const found = NAMES.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(found), pathIsOfFile: String(process.env.PATH === '/of-the-file') }
}

/** Those that a build inlines. */
export const inlined = () => ({
  textOfConfig: process.env.textOfConfig,
  ofConfig: process.env.NEXT_PUBLIC_OF_CONFIG,
  pier: process.env.NEXT_PUBLIC_PIER,
  nothing: process.env.NEXT_PUBLIC_NOTHING,
})
