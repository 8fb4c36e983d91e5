const NAMES = [
  ...['FROM_PROCESS', 'FROM_PROCESS_LATE', 'PLAIN', 'EMPTY_FIRST', 'NEXT_PUBLIC_EMPTY'],
  ...['OVER_LOCAL', 'OVER_DEVELOPMENT', 'OVER_PRODUCTION', 'OVER_PRODUCTION_LOCAL', 'OVER_TEST'],
  ...['EXPANDED', 'EXPANDED_WITHIN', 'ESCAPED', 'EXCLAIMED'],
  ...['IN_LOCAL', 'IN_DEVELOPMENT', 'IN_PRODUCTION', 'IN_PRODUCTION_LOCAL', 'IN_TEST'],
]

/** What code on the server sees: variables by their names, and those that the build writes into the code. */
export function seen(): Record<string, string> {
  const entries = NAMES.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(entries),
    ofConfig: process.env.ofConfig,
    ofConfigPublic: process.env.ofConfigPublic,
    ofConfigCode: process.env.NEXT_PUBLIC_OF_CONFIG,
  }
}
