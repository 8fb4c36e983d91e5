// The options of `portico start` and `portico dev`.

const FLAGS = { '--help': 'help', '-h': 'help', '--json': 'json', '--no-build': 'noBuild', '--dev': 'dev' } as const
const SCALE = '--scale'
const HOST = '--host'

type Options = Readonly<Record<'help' | 'json' | 'noBuild' | 'dev', boolean>> & {
  /** The values of `--scale`, in their order. */
  readonly scale: readonly string[]
  /** The value of `--host`; the empty text without a value, undefined without the option. */
  readonly host: string | undefined
  readonly unknown: readonly string[]
}

/** Reads the arguments. A value follows its option as the next argument or after "=". */
export function readOptions(args: readonly string[]): Options {
  const options = { help: false, json: false, noBuild: false, dev: false }
  const scale: string[] = []
  const unknown: string[] = []
  let host: string | undefined
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (Object.hasOwn(FLAGS, arg)) options[FLAGS[arg as keyof typeof FLAGS]] = true
    // A missing value is the empty one, which no service has.
    else if (arg === SCALE) scale.push(args[at + 1]?.startsWith('-') ? '' : (args[++at] ?? ''))
    else if (arg.startsWith(`${SCALE}=`)) scale.push(arg.slice(SCALE.length + 1))
    else if (arg === HOST) host = args[at + 1]?.startsWith('-') ? '' : (args[++at] ?? '')
    else if (arg.startsWith(`${HOST}=`)) host = arg.slice(HOST.length + 1)
    else unknown.push(arg)
  }
  return { ...options, scale, host, unknown }
}
