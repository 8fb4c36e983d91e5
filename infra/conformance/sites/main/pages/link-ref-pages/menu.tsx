import Link from 'next/link'
import { useEffect, useRef, useState } from 'react'

/** A menu that a click outside of it closes. */
export default function Menu() {
  const [isOpen, setOpen] = useState(false)
  const menu = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const close = ({ target }: MouseEvent) => {
      if (isOpen && menu.current && !menu.current.contains(target as Node)) setOpen(false)
    }
    const timer = setTimeout(() => document.addEventListener('click', close))
    return () => {
      clearTimeout(timer)
      document.removeEventListener('click', close)
    }
  }, [isOpen])
  return (
    <>
      <button id="open" type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {isOpen && (
        <div id="menu" ref={menu}>
          <Link href="/link-ref-pages">An entry</Link>
        </div>
      )}
    </>
  )
}
