// `next/script`: when a script is loaded, once for each document (X3).

import { createElement, type ScriptHTMLAttributes, useContext, useEffect, useRef } from 'react'
import { whenLoaded } from '../react/when-loaded.ts'
import { HeadContext, type HeadElement, textOf } from './head-state.ts'

/** The props of `Script`: those of `<script>`, when to load it, and what to call. */
export interface ScriptProps extends Omit<ScriptHTMLAttributes<HTMLScriptElement>, 'onLoad' | 'onError'> {
  strategy?: 'afterInteractive' | 'lazyOnload' | 'beforeInteractive' | 'worker'
  id?: string | undefined
  onLoad?: (event: Event) => void
  /** Called after the script was loaded, and whenever the component is mounted again. */
  onReady?: () => void
  onError?: (event: Event | string) => void
  /** Addresses of stylesheets to load with the script. */
  stylesheets?: string[]
}

/** The scripts of this document by id or address: a document runs each one once. */
const loads = new Map<string, Promise<Event | undefined>>()
/** By address: scripts of one address that have several ids are one element. */
const files = new Map<string, Promise<Event | undefined>>()

function keyOf({ id, src }: ScriptProps): string {
  return id ?? src ?? ''
}

/** A script that is loaded by its `strategy`: after the page is interactive, when the browser is idle, or before. */
export default function Script(props: ScriptProps) {
  const { strategy = 'afterInteractive' } = props
  const head = useContext(HeadContext)
  const isReady = useRef(false)
  refuseWorker(strategy)
  const isEarly = strategy === 'beforeInteractive'
  if (isEarly && typeof window === 'undefined') head?.addScript(keyOf(props), scriptElement(props))
  useEffect(() => {
    if (isReady.current) return
    isReady.current = true
    if (isEarly && isInDocument(props)) noteEarly(props)
    handleClientScriptLoad(props)
  }, [props, isEarly])
  // `_document` is rendered once, without a page around it: its scripts are elements in their place.
  return head === null && typeof window === 'undefined' ? scriptElement(props) : null
}

/** Loads a script as the component does, outside of components. */
export function handleClientScriptLoad(props: ScriptProps): void {
  refuseWorker(props.strategy)
  if (props.strategy === 'lazyOnload') whenLoaded(() => begin(props))
  else begin(props)
}

/** Loads several scripts. */
export function initScriptLoader(scripts: ScriptProps[]): void {
  for (const script of scripts) handleClientScriptLoad(script)
}

function refuseWorker(strategy: ScriptProps['strategy']): void {
  if (strategy === 'worker')
    throw new Error('<Script strategy="worker">: not supported; use afterInteractive or lazyOnload')
}

function begin(props: ScriptProps): void {
  const { onLoad, onReady, onError, src } = props
  const key = keyOf(props)
  const known = key === '' ? undefined : loads.get(key)
  const loaded = known ?? (src === undefined ? undefined : files.get(src)) ?? load(props)
  if (!known && key !== '') loads.set(key, loaded)
  if (src !== undefined) files.set(src, loaded)
  loaded.then(
    (event) => {
      // Only the component that loads the script is notified of its event.
      if (!known && event) onLoad?.(event)
      onReady?.()
    },
    (event: Event) => {
      loads.delete(key)
      if (src !== undefined) files.delete(src)
      onError?.(event)
    },
  )
}

function load(props: ScriptProps): Promise<Event | undefined> {
  for (const href of props.stylesheets ?? []) addStylesheet(href)
  const script = createScript(props)
  return new Promise((resolve, reject) => {
    script.addEventListener('load', resolve)
    script.addEventListener('error', reject)
    document.body.append(script)
    if (props.src === undefined) resolve(new Event('load'))
  })
}

const NO_ATTRIBUTES: readonly string[] = [
  'strategy',
  'onLoad',
  'onReady',
  'onError',
  'stylesheets',
  'children',
  'dangerouslySetInnerHTML',
]

function createScript(props: ScriptProps): HTMLScriptElement {
  const script = document.createElement('script')
  for (const [name, value] of Object.entries(props)) {
    if (NO_ATTRIBUTES.includes(name) || value === undefined || value === null || value === false) continue
    script.setAttribute(name === 'className' ? 'class' : name, value === true ? '' : String(value))
  }
  // An element that a script creates is asynchronous unless it says otherwise.
  if (props.async === false) script.async = false
  // The policy of the document may allow scripts with its nonce only. Browsers show the nonce to scripts.
  const nonce = props.nonce ?? document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce
  if (nonce) script.nonce = nonce
  script.dataset.nscript = props.strategy ?? 'afterInteractive'
  script.text = String(props.dangerouslySetInnerHTML?.__html ?? textOf(props.children))
  return script
}

function addStylesheet(href: string): void {
  if (document.querySelector(`link[rel=stylesheet][href="${CSS.escape(href)}"]`)) return
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }))
}

/** The element in a document of the server. */
function scriptElement(given: ScriptProps): HeadElement {
  const { onLoad: _l, onReady: _r, onError: _e, stylesheets: _s, strategy, children, ...props } = given
  const isLater = strategy !== 'beforeInteractive' && props.src !== undefined
  // SECURITY: one text, in which React escapes the end of the element, `</script>`: texts often contain values.
  const text = textOf(children)
  // The cast: an element of the head has a name for its type.
  return createElement('script', {
    ...(isLater && { defer: true }),
    ...props,
    ...(text !== '' && { children: text }),
    'data-nscript': strategy,
  }) as unknown as HeadElement
}

function isInDocument({ id, src }: ScriptProps): boolean {
  return [...document.querySelectorAll<HTMLScriptElement>('script[data-nscript]')].some(
    (script) => (id !== undefined && script.id === id) || (src !== undefined && script.getAttribute('src') === src),
  )
}

/** A script of the server's document has run. */
function noteEarly(props: ScriptProps): void {
  const key = keyOf(props)
  if (!loads.has(key)) loads.set(key, Promise.resolve(undefined))
}
