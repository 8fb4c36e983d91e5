// Recognises errors of packages that cannot be loaded: a binary that was built for another Node or another system or is
// missing, an import that only a bundler resolves. Names the package, the file, the reason and the command that helps.

/** The members of Node's `process` that the text needs. */
interface RunningNode {
  /** For example `v26.10.0`. */
  version: string
  versions: { modules?: string | undefined }
  platform: string
  arch: string
  execPath: string
}

/** Node's major versions by NODE_MODULE_VERSION: the binary interface of native packages. */
const NODE_OF_ABI: Readonly<Record<string, string>> = {
  93: '16',
  108: '18',
  111: '19',
  115: '20',
  120: '21',
  127: '22',
  131: '23',
  137: '24',
  141: '25',
  147: '26',
}

interface Kind {
  /** Group 1: the file or the folder of the package, where the message has one. */
  pattern: RegExp
  /** Says what is wrong, after the name of the file. `detail` is group 2. */
  reason: (node: RunningNode, detail: string) => string
  remedy: 'rebuild' | 'reinstall' | 'none'
}

/** In order: the texts of Node, of the loaders of Linux, macOS and Windows, and of packages that look for their binary. */
const KINDS: readonly Kind[] = [
  {
    pattern:
      /The module '([^']+)'\s+was compiled against a different Node\.js version using\s+NODE_MODULE_VERSION (\d+)/,
    reason: (node, abi) => `was built for ${nodeOf(abi)}; the services run on ${runningNode(node)}`,
    remedy: 'rebuild',
  },
  {
    pattern: /Module did not self-register: '([^']+)'/,
    reason: (node) => `was built for another Node; the services run on ${runningNode(node)}`,
    remedy: 'rebuild',
  },
  {
    pattern: /(\/[^\n:]+\.node): undefined symbol: (\w+)/,
    reason: (node) => `was built for another Node; the services run on ${runningNode(node)}`,
    remedy: 'rebuild',
  },
  {
    pattern: /version `([^'\n]+)' not found \(required by ([^)\n]+\.node)\)/,
    reason: (_node, library) => `needs ${library} of a newer system`,
    remedy: 'rebuild',
  },
  {
    pattern: /()\b(lib[\w.+-]+\.so[\w.]*): cannot open shared object file/,
    reason: (_node, library) =>
      `needs the library ${library}, which this system lacks: install the system's package that has it`,
    remedy: 'none',
  },
  {
    pattern: /(\/[^\n:']+\.node): cannot open shared object file/,
    reason: (node) => `is missing: it was not built for ${runningNode(node)}`,
    remedy: 'reinstall',
  },
  otherSystem(/(\/[^\n:']+\.node)'?:? \(?(?:invalid ELF header|file too short|wrong ELF class)/),
  otherSystem(
    /(\/[^\n:']+\.node)'?:? \(?(?:not a mach-o file|slice is not valid mach-o|mach-o file, but is an incomp)/,
  ),
  otherSystem(/Error loading shared library [^\n]*\(needed by ([^)\n]+\.node)\)/),
  otherSystem(/([A-Za-z]:\\[^\n]+\.node) is not a valid Win32 application/),
  {
    pattern: /Could not locate the bindings file\. Tried:\s+→ (\S+\.node)/,
    reason: (node) => `is missing: it was not built for ${runningNode(node)}`,
    remedy: 'rebuild',
  },
  {
    pattern: /No native build was found for [^\n]+\n\s+loaded from: ([^\n]+)/,
    reason: (node) => `has no binary for ${runningNode(node)} on ${node.platform} ${node.arch}`,
    remedy: 'rebuild',
  },
  {
    pattern: /()Cannot find (?:module|package) '([^'\n]*![^'\n]*)'/,
    reason: (_node, request) =>
      `requires "${request}", which only webpack with that loader resolves: import a file of the package that needs none, or another package`,
    remedy: 'none',
  },
  {
    pattern: /Cannot find module '[^'\n]*?([^'/\n]+\.node)'/,
    reason: (node) => `is missing: it was not built for ${runningNode(node)}`,
    remedy: 'rebuild',
  },
  {
    pattern: /Cannot find native binding()|Could not load the "[^"\n]+" module using the [\w-]+ runtime/,
    reason: (node) => `has no binary for ${node.platform} ${node.arch}`,
    remedy: 'reinstall',
  },
]

function otherSystem(pattern: RegExp): Kind {
  const reason = ({ platform, arch }: RunningNode) =>
    `was built for another system; the services run on ${platform} ${arch}`
  return { pattern, reason, remedy: 'reinstall' }
}

/**
 * One sentence for the author or operator about an error with this text, its message followed by its stack; undefined
 * for every other error. SECURITY: the sentence contains paths; it belongs in logs and the overlay, never into a
 * response of production.
 *
 * @example explainNativeFault(`${error.message}\n${error.stack}`, process)
 */
export function explainNativeFault(text: string, node: RunningNode): string | undefined {
  for (const { pattern, reason, remedy } of KINDS) {
    const found = pattern.exec(text)
    if (!found) continue
    const [, first = '', second = ''] = found
    const isLibc = second.endsWith('.node')
    const file = isLibc ? second : first
    const at = placeOf(file) ?? placeOf(packageFrame(text))
    const subject = [at && `the package ${at.name}`, /[/\\]/.test(file) ? file : undefined].filter(Boolean).join(': ')
    const command = at && commandFor(remedy, at, node)
    return `${subject || file || 'a native package'} ${reason(node, isLibc ? first : second)}${command ? `; run:\n${command}` : ''}`
  }
  return undefined
}

interface Place {
  /** Name of the package. */
  name: string
  /** The folder in whose node_modules the package is. */
  folder: string
}

/** The package that contains a file, or is the folder. */
function placeOf(path: string): Place | undefined {
  const found = /^(.*?)\/node_modules\/(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/]+)/.exec(path.replaceAll('\\', '/'))
  return found?.[1] === undefined || found[2] === undefined ? undefined : { folder: found[1], name: found[2] }
}

/** The first file of a package in a stack, without the helpers that only look for the binary. */
function packageFrame(text: string): string {
  const frames = [...text.matchAll(/(?:^- |\(|at |file:\/\/)(\/[^\n():]*\/node_modules\/[^\n():]+)/gm)]
  const files = frames.flatMap(([, file]) => (file === undefined ? [] : [file]))
  return files.find((file) => !/\/node_modules\/(bindings|node-gyp-build|vite)\//.test(file)) ?? ''
}

/**
 * The command runs on the Node of the services: npm passes its own Node to the scripts that build the binary, and the
 * machine's npm may run on another one.
 */
function commandFor(remedy: Kind['remedy'], { name, folder }: Place, { execPath }: RunningNode): string | undefined {
  if (remedy === 'none') return undefined
  // A site that has Portico as a package has this Node there, too.
  const npm = execPath.startsWith(`${folder}/node_modules/`)
    ? 'node_modules/.bin/portico exec -- npm'
    : `PATH=${quoted(execPath.replace(/[/\\][^/\\]*$/, ''))}:$PATH npm`
  const go = `cd ${quoted(folder || '/')} && `
  return remedy === 'rebuild' ? `${go}${npm} rebuild ${name}` : `${go}rm -r node_modules/${name} && ${npm} install`
}

/** As one word of a shell. */
function quoted(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

function nodeOf(abi: string): string {
  const version = NODE_OF_ABI[abi]
  return `${version ? `Node ${version}` : 'another Node'} (NODE_MODULE_VERSION ${abi})`
}

function runningNode({ version, versions }: RunningNode): string {
  return `Node ${version.replace(/^v/, '')} (NODE_MODULE_VERSION ${versions.modules ?? 'unknown'})`
}
