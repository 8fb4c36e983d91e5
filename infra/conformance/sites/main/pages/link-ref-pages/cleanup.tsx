import Link from 'next/link'
import { useState } from 'react'

declare global {
  interface Window {
    /** Calls of the ref callback. */
    refs?: string[]
  }
}

function mark(element: HTMLAnchorElement | null) {
  window.refs = [...(window.refs ?? []), element ? 'set' : 'null']
  element?.setAttribute('data-ref', 'set')
  return () => {
    window.refs = [...(window.refs ?? []), 'cleaned']
  }
}

export default function WithCleanup() {
  const [isShown, setShown] = useState(true)
  return (
    <>
      <button id="remove" type="button" onClick={() => setShown(false)}>
        Remove
      </button>
      {isShown && (
        <Link id="link" href="/link-ref-pages" ref={mark}>
          With a callback that returns another one
        </Link>
      )}
    </>
  )
}
