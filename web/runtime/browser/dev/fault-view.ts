// The overlay's content for one fault: message, place, code frame, both sides of a hydration difference, stack. Its elements
// are plain DOM, because React belongs to the page, which may be broken.

import type { DevStackFrame, DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'
import type { Difference, Fault } from './fault-list.ts'

type Child = Node | string | undefined | false

/** Creates an element with attributes, listeners (`onclick`) and children. Strings become text, never markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | boolean | (() => void) | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key.replace(/^on/, ''), value)
    else if (value === true) made.setAttribute(key, '')
    else if (typeof value === 'string') made.setAttribute(key, value)
  }
  made.append(...children.filter((child): child is Node | string => child !== undefined && child !== false))
  return made
}

const PIECE =
  /(\/\/.*$|\/\*.*?\*\/)|('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)|\b(import|export|from|default|const|let|var|function|return|async|await|if|else|for|of|in|while|switch|case|throw|new|try|catch|finally|class|extends|type|interface|typeof|null|undefined|true|false)\b/g

// Colours one line of code: keywords, strings and comments. A single line does not show more of the syntax.

/** Returns nodes that show the text. */
function highlight(text: string): Node[] {
  const nodes: Node[] = []
  let shown = 0
  for (const match of text.matchAll(PIECE)) {
    const [whole, comment, quoted] = match
    nodes.push(new Text(text.slice(shown, match.index)))
    nodes.push(element('span', { class: comment ? 'comment' : quoted ? 'quoted' : 'word' }, whole))
    shown = match.index + whole.length
  }
  return [...nodes, new Text(text.slice(shown))]
}

/** Opens a place in the author's editor. */
export type OpenPlace = (file: string, line: number, column: number) => void

/** The heading of a fault. The server reads config and folder together: rules about other files are not of the config. */
export function headingOf({ source, file }: Fault): string {
  const isOfFolder = source === 'config' && file !== undefined && !file.startsWith('portico.config.')
  return SOURCE_NAMES[isOfFolder ? 'build' : source]
}

const SOURCE_NAMES: Readonly<Record<Fault['source'], string>> = {
  build: 'Build error',
  config: 'Error in the configuration',
  render: 'Error while rendering on the server',
  data: 'Error in a data function',
  action: 'Error in an action',
  api: 'Error in an API handler',
  browser: 'Error in the browser',
  hydration: 'Server and browser differ',
}

/** Longer messages are shown in the font of code. */
const LONG_MESSAGE = 240

export interface FaultLinks {
  open: OpenPlace
  /** Address of a page of the documentation. */
  docsUrl: (page: string) => string
}

/** The scrolling part of the overlay for a fault. */
export function faultView(fault: Fault, { open, docsUrl }: FaultLinks): HTMLElement[] {
  const isLong = fault.message.length > LONG_MESSAGE || fault.message.includes('\n')
  return [
    element('h1', { id: 'title', class: isLong && 'long' }, fault.message),
    ...(fault.docs === undefined ? [] : [docsView(fault.docs, docsUrl)]),
    ...(fault.difference ? differenceView(fault.difference) : []),
    ...(fault.file === undefined ? [] : [placeView(fault.file, fault.line ?? 1, fault.column ?? 1, open)]),
    ...(fault.frame?.length ? [frameView(fault)] : []),
    ...(fault.difference?.tree
      ? [element('h2', {}, 'In the tree of components'), treeView(fault.difference.tree)]
      : []),
    ...(fault.stack.length > 0 ? stackView(fault.stack, open) : []),
    element(
      'p',
      { class: 'note' },
      'Seen in development only. It disappears when the fault is fixed.',
      fault.digest !== undefined && ` Digest in the log: ${fault.digest}.`,
    ),
  ]
}

/** The scrolling part of the overlay for warnings. */
export function warningsView(warnings: readonly DevWarning[], open: OpenPlace): HTMLElement[] {
  const items = warnings.map(({ text, file, line = 1 }) =>
    element('li', {}, element('p', {}, text), file !== undefined && placeView(file, line, 1, open)),
  )
  return [element('h1', { id: 'title', class: 'unseen' }, 'Warnings'), element('ul', { class: 'warnings' }, ...items)]
}

/** Opens in another tab: the page keeps its state. */
function docsView(section: string, docsUrl: FaultLinks['docsUrl']): HTMLElement {
  const [page = '', heading = ''] = section.split('#')
  const words = (id: string) => id.replaceAll('-', ' ')
  const link = element(
    'a',
    { href: `${docsUrl(page)}#${heading}`, target: '_blank', rel: 'noopener' },
    `${words(page)}: ${words(heading)}`,
  )
  return element('p', { class: 'docs' }, 'Documentation, ', link)
}

function placeView(file: string, line: number, column: number, open: OpenPlace): HTMLElement {
  return element(
    'button',
    { type: 'button', class: 'place', onclick: () => open(file, line, column) },
    element('span', {}, `${file}:${line}:${column}`),
    element('span', { class: 'do' }, 'Open in editor'),
  )
}

function frameView({ frame = [], line, column }: Fault): HTMLElement {
  const rows = frame.flatMap((row) => {
    const number = element('span', { class: 'number' }, String(row.line))
    const shown = element('div', { class: row.isFault ? 'row isFault' : 'row' }, number, codeView(row.text))
    if (!row.isFault || row.line !== line || column === undefined || column > row.text.length + 1) return [shown]
    // Tabs remain tabs, so that the caret is below its letter.
    const indent = row.text.slice(0, column - 1).replace(/[^\t]/g, ' ')
    const caret = element('span', {}, indent, element('span', { class: 'caret' }, '^'))
    return [shown, element('div', { class: 'row', 'aria-hidden': 'true' }, element('span', { class: 'number' }), caret)]
  })
  return element('div', { class: 'frame', role: 'group', 'aria-label': 'Code', tabindex: '0' }, ...rows)
}

function codeView(text: string): HTMLElement {
  return element('span', {}, ...highlight(text))
}

function differenceView({ server, browser }: Difference): HTMLElement[] {
  const side = (name: string, text: string) =>
    element('figure', { class: 'side' }, element('figcaption', {}, name), element('pre', {}, text || '(nothing)'))
  return [element('div', { class: 'sides' }, side('The server sent', server), side('The browser renders', browser))]
}

function treeView(tree: string): HTMLElement {
  const lines = tree.split('\n').map((line) => {
    const tone = line.startsWith('-') ? 'minus' : line.startsWith('+') ? 'plus' : ''
    return element('span', { class: tone }, `${line}\n`)
  })
  return element('pre', { class: 'tree', tabindex: '0' }, ...lines)
}

function stackView(stack: readonly DevStackFrame[], open: OpenPlace): HTMLElement[] {
  const item = (call: DevStackFrame) => element('li', {}, callView(call, open))
  const own = stack.filter(isOfAuthor)
  const others = stack.filter((call) => !isOfAuthor(call))
  return [
    element('h2', {}, 'Call stack'),
    element('ol', { class: 'calls' }, ...own.map(item)),
    ...(others.length === 0
      ? []
      : [
          element(
            'details',
            own.length === 0 ? { open: true } : {},
            element('summary', {}, `${others.length} in the framework and packages`),
            element('ol', { class: 'calls' }, ...others.map(item)),
          ),
        ]),
  ]
}

function callView({ name, file, line, column }: DevStackFrame, open: OpenPlace): HTMLElement {
  const content = [
    element('span', {}, name || '(module)'),
    element('span', { class: 'where' }, `${file}:${line}:${column}`),
  ]
  if (!canOpen(file)) return element('span', { class: 'call' }, ...content)
  return element('button', { type: 'button', class: 'call', onclick: () => open(file, line, column) }, ...content)
}

/** App-relative paths have an extension and no scheme, unlike `portico:…` and names of packages. */
function isOfAuthor({ file }: DevStackFrame): boolean {
  return /\.\w+$/.test(file) && !/^(\/|\w+:|@|\.\.|node_modules\/)/.test(file)
}

function canOpen(file: string): boolean {
  return /\.\w+$/.test(file) && !/^\w+:/.test(file)
}
