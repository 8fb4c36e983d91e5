// The head of the browser's document: keeps the elements of `next/head` in it.

import type { ReactNode } from 'react'
import { HEAD_ATTRIBUTE, type HeadElement, type HeadState, headElements, textOf } from './head-state.ts'

/** Changes the document after the changes of one commit, before the browser paints. */
export function createDocumentHead(): HeadState {
  const heads = new Map<string, ReactNode>()
  let isPending = false
  const change = () => {
    if (isPending) return
    isPending = true
    queueMicrotask(() => {
      isPending = false
      updateDocument(headElements(heads.values()))
    })
  }
  return {
    set(id, children) {
      heads.set(id, children)
      change()
    },
    remove(id) {
      heads.delete(id)
      change()
    },
    addScript() {},
  }
}

/** Leaves equal elements in place: a script would run again, a stylesheet would be loaded again. */
function updateDocument(elements: readonly HeadElement[]): void {
  const wanted = elements.map(createNode)
  for (const old of document.head.querySelectorAll(`[${HEAD_ATTRIBUTE}]`)) {
    const same = wanted.findIndex((node) => isEqual(node, old))
    if (same < 0) old.remove()
    else wanted.splice(same, 1)
  }
  // Browsers read the character set in the first bytes.
  for (const node of wanted)
    if (node.hasAttribute('charset')) document.head.prepend(node)
    else document.head.append(node)
}

/** Attributes whose names in React differ from those in HTML by more than case. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  acceptCharset: 'accept-charset',
  className: 'class',
  htmlFor: 'for',
  httpEquiv: 'http-equiv',
}

/**
 * As React on the server, which leaves out other names. SECURITY: props may be those of an object from outside: a text
 * would run as an event handler, and a name with a space would stop the update of the whole head.
 */
export function isAttribute(name: string): boolean {
  return /^[A-Za-z_:][\w:.-]*$/.test(name) && !/^on/i.test(name) && !/^suppress\w+Warning$/.test(name)
}

function createNode({ type, props }: HeadElement): HTMLElement {
  const node = document.createElement(type)
  node.setAttribute(HEAD_ATTRIBUTE, '')
  const { children, dangerouslySetInnerHTML, ...attributes } = props
  for (const [name, value] of Object.entries(attributes).filter(([each]) => isAttribute(each)))
    if (typeof value === 'string' || typeof value === 'number' || value === true)
      node.setAttribute(ATTRIBUTES[name] ?? name, value === true && !/^(data|aria)-/.test(name) ? '' : String(value))
  // The cast: React's type for this prop.
  const html = (dangerouslySetInnerHTML as { __html?: unknown } | undefined)?.__html
  if (html === undefined) node.textContent = textOf(children)
  else node.innerHTML = String(html)
  return node
}

/** Browsers hide the nonce of an element in the document. */
function isEqual(node: HTMLElement, old: Element): boolean {
  if (!(old instanceof HTMLElement) || !old.nonce) return node.isEqualNode(old)
  const plain = old.cloneNode(true) as HTMLElement
  plain.removeAttribute('nonce')
  return node.isEqualNode(plain)
}
